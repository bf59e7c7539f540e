"""A standalone Spark cluster on loopback: a master and two workers, from the pyspark package alone.

Without pyspark and Java the tests that need it are skipped, saying so.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.needs import missing, need_module

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKERS = 2
PATIENCE = 120
"""Seconds to wait for a process of the cluster."""


@dataclass
class Cluster:
    """Processes that were started, and where their master listens."""

    folder: Path
    port: int
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def master(self) -> str:
        """The master's address."""
        return f"spark://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the master, then the workers, and wait until they have found it."""
        self._run("master", "master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        self._await("master", "I have been elected leader")
        for i in range(WORKERS):
            self.add_worker(f"worker-{i}")

    def add_worker(self, name: str) -> None:
        """Start a worker with one core."""
        folder = ("--work-dir", str(self.folder / name))
        size = ("--cores", "1", "--memory", "1500m", "--webui-port", "0", "--host", "127.0.0.1")
        self._run(name, "worker.Worker", *size, *folder, self.master)
        self._await(name, "Successfully registered with master")

    def serve(self) -> str:
        """Start a Spark Connect server, which works by itself, and return its address."""
        port = free_port()
        service = "org.apache.spark.sql.connect.service.SparkConnectServer"
        settings = {"binding.address": "127.0.0.1", "binding.port": port}
        options = [f"--conf=spark.connect.grpc.{key}={value}" for key, value in settings.items()]
        options += ["--conf=spark.driver.host=127.0.0.1", "--conf=spark.ui.enabled=false", "--master=local[2]"]
        self._run("connect", "SparkSubmit", *options, f"--class={service}", "spark-internal")
        self._await("connect", "Spark Connect server started")
        return f"sc://127.0.0.1:{port}"

    def kill(self, name: str) -> None:
        """End a process at once, and what it has started."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all that was started."""
        for name in list(self.processes):
            self.kill(name)

    def _run(self, name: str, kind: str, *arguments: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_MEMORY": "512m",
        }
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def _await(self, name: str, words: str) -> None:
        log, end = self.folder / f"{name}.log", time.monotonic() + PATIENCE
        while time.monotonic() < end and self.processes[name].poll() is None:
            if words in log.read_text(errors="replace"):
                return
            time.sleep(0.2)
        raise RuntimeError(f"the Spark {name} did not start:\n{log.read_text(errors='replace')[-2000:]}")


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def local_master() -> str:
    """Spark in a process of its own, which waits for no other's cores."""
    need_module("pyspark", "pyspark (pip install 'slicewise[spark]')")
    if shutil.which("java") is None:
        missing("Java (apt-get install openjdk-17-jre-headless)")
    return "local[2]"


@pytest.fixture(scope="session")
def cluster(local_master: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers on loopback."""
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
