"""`slicewise attributes`."""


def attributes() -> None:
    """List the attributes that buckets and study can use, with a sentence each."""
    from slicewise.attributes import catalogue
    from slicewise.attributes.custom import from_entry_points
    from slicewise.attributes.listing import listing
    from slicewise.render.terminal import show

    show(listing(catalogue() | {attribute.name: attribute for attribute in from_entry_points()}))
