"""One cluster and one session for all tests with Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import needs
import pytest
from spark_cluster import Cluster, free_port, has_java

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers on loopback."""
    needs.need_module("pyspark", "pyspark (pip install 'slicewise[spark]')")
    if not has_java():
        needs.missing("Java (apt-get install openjdk-17-jre-headless)")
    started = Cluster(tmp_path_factory.mktemp("spark"), free_port())
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def session(cluster: Cluster) -> Iterator[Any]:
    """A session on the cluster."""
    from slicewise.engine.spark import session_of

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        found = session_of("spark", cluster.master)
        yield found
        found.stop()
