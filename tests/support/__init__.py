"""What tests share: data, slow references, and checks of what commands print. See ../README.md."""
