"""The engine: kernels map partitions to additive tables; runners execute them locally or on Spark."""
