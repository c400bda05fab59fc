"""The commands of docs/operations.md, typed into one shell, with a place of its own for everything.

What would touch the machine stands in: `systemctl` by starting what the unit's ExecStart says,
`certbot` by a certificate of our own, `nginx` by the same program under a configuration of ours.
"""

import configparser
import json
import os
import pwd
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

from costcodle.settings import BASE_DIR
from tests.interleaving import wait_until

DOCUMENT = BASE_DIR / "docs" / "operations.md"
PROGRAMS = ("curl", "git", "nginx", "openssl", "psql", "systemd-analyze")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PASSED_ON = re.compile(r"PATH|HOME|LANG|PIP_\w+|SSL_\w+|REQUESTS_CA_BUNDLE|\w+_proxy|\w+_PROXY")
_DONE = "-- this step is done --"


def fences(markdown: str) -> list[tuple[str, str]]:
    """Every fenced block: its language and its text."""
    return _FENCE.findall(markdown)


def steps() -> list[str]:
    """What the document says to type, cut at the lines that begin with `systemctl`."""
    typed = "".join(text for kind, text in fences(DOCUMENT.read_text("utf-8")) if kind == "sh")
    return [step for step in re.split(r"^(systemctl .*)\n", typed, flags=re.MULTILINE) if step]


class Shell:
    """One shell into which lines are typed."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.said = ""
        self._process = subprocess.Popen(
            ["sh"],
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def type(self, lines: str) -> None:
        """Type lines and wait for their end; fails where the shell gave up."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{lines}\necho {shlex.quote(_DONE)}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line == f"{_DONE}\n":
                return
            self.said += line
        raise AssertionError(f"the shell gave up:\n{self.said}")

    def close(self) -> None:
        self._process.communicate(timeout=30)


@dataclass(kw_only=True)
class Unit:
    """An installed service, as far as systemd itself is not needed to start it."""

    path: Path
    runtime: Path

    def start(self, log: Path) -> "subprocess.Popen[str]":
        """The process of its ExecStart, in its folder and environment."""
        unit = configparser.ConfigParser(strict=False, interpolation=None)
        unit.optionxform = str  # type: ignore[assignment,method-assign]
        unit.read_string(self.path.read_text())
        service = unit["Service"]
        own = dict([service["Environment"].split("=", 1)] if "Environment" in service else [])
        with log.open("a") as errors:
            return subprocess.Popen(
                shlex.split(service["ExecStart"]),
                cwd=service["WorkingDirectory"],
                env={
                    "PATH": os.environ["PATH"],
                    "RUNTIME_DIRECTORY": str(self.runtime),
                    **own,
                    **variables(Path(service["EnvironmentFile"])),
                },
                text=True,
                stdout=subprocess.DEVNULL,
                stderr=errors.fileno(),
            )


def variables(path: Path) -> dict[str, str]:
    """An environment file of lines without quotes."""
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def passed_on() -> dict[str, str]:
    """Of this process's environment what a person's shell would have too."""
    return {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}


def account() -> str:
    """Who runs the suite, and so the site."""
    return pwd.getpwuid(os.geteuid()).pw_name


def source(folder: Path) -> Path:
    """A repository of its own with the files that are here, committed or not."""
    ignored = [line.strip("/") for line in (BASE_DIR / ".gitignore").read_text().splitlines()]
    target = folder / "source"
    shutil.copytree(BASE_DIR, target, ignore=shutil.ignore_patterns(".git", *ignored))
    author = ["-c", "user.name=test", "-c", "user.email=test@costcodle.example"]
    for command in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "as it is"]):
        subprocess.run(["git", *command], cwd=target, check=True)
    return target


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that signs itself; its key lies beside it."""
    path = folder / "certificate.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", str(folder / "key.pem"), "-out", str(path),
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return path


NGINX = """
{user} daemon off; error_log {folder}/error.log; pid {folder}/nginx.pid;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  include {folder}/sites/*.conf;
}}
"""


def stand_ins(folder: Path, secure: str) -> Path:
    """A folder of programs that go before those of the machine."""
    programs = folder / "bin"
    programs.mkdir()
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    config = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    config.write_text(NGINX.format(folder=folder, user=user))
    options = f"-c {config} -p {folder} -e {folder}/error.log"
    tls = f"listen {secure} ssl; ssl_certificate {certificate(folder)};"
    tls += f" ssl_certificate_key {folder}/key.pem; server_tokens off;"
    site = folder / "sites" / "costcodle.conf"
    texts = {
        "nginx": f'exec {nginx} {options} "$@"',
        "certbot": f"sed -i 's#server_tokens off;#{tls}#' {site}",
    }
    for name, text in texts.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return programs


@dataclass(kw_only=True)
class Production:
    """The site as the document builds it; ended by the process ids of what was started."""

    folder: Path
    environment: dict[str, str]
    plain: str
    secure: str
    direct: str
    server: "subprocess.Popen[str] | None" = None
    nginx: "subprocess.Popen[bytes] | None" = None
    runs: list[tuple[int, list[dict[str, Any]]]] = field(default_factory=list)
    while_away: list[urllib3.BaseHTTPResponse] = field(default_factory=list)

    def build(self) -> None:
        """Type everything, doing what each `systemctl` line asks for."""
        shell = Shell(self.folder, self.environment)
        doings = {
            "systemctl daemon-reload": lambda: None,
            "systemctl enable --now costcodle.service": self.serve,
            "systemctl enable --now costcodle-publish.timer": self.fire_twice_at_once,
            "systemctl reload nginx": self.reload_nginx,
            "systemctl restart costcodle.service": self.restart,
        }
        try:
            for step in steps():
                if step.startswith("systemctl "):
                    doings[step]()
                else:
                    shell.type(step)
        finally:
            shell.close()

    def unit(self, name: str) -> Unit:
        return Unit(path=self.folder / "units" / name, runtime=self.folder / "run")

    def serve(self) -> None:
        self.server = self.unit("costcodle.service").start(self.folder / "server.log")
        wait_until(lambda: self.lives() or self.server.poll() is not None, seconds=60)  # type: ignore[union-attr]
        assert self.server.poll() is None, (self.folder / "server.log").read_text()

    def lives(self) -> bool:
        try:
            return HTTP.request("GET", f"http://{self.direct}/healthz").status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def fire_twice_at_once(self) -> None:
        logs = [self.folder / f"run-{n}.log" for n in (1, 2)]
        runs = [self.unit("costcodle-publish.service").start(log) for log in logs]
        for run, log in zip(runs, logs, strict=True):
            status = run.wait(timeout=300)
            events = [json.loads(line) for line in log.read_text().splitlines()]
            self.runs.append((status, events))

    def reload_nginx(self) -> None:
        if self.nginx is None:
            self.nginx = subprocess.Popen([self.folder / "bin" / "nginx"])
            wait_until(lambda: _answers(f"http://{self.plain}/healthz"))
        else:
            subprocess.run([self.folder / "bin" / "nginx", "-s", "reload"], check=True)
            wait_until(lambda: _answers(f"https://{self.secure}/healthz", self.folder))

    def restart(self) -> None:
        self.stop_server()
        self.while_away.append(self.get("/about"))
        self.serve()

    def stop_server(self) -> None:
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=60)

    def get(self, path: str, **headers: str) -> urllib3.BaseHTTPResponse:
        return self.ask("GET", path, headers=headers)

    def ask(
        self, method: str, path: str, client: str = "127.0.0.1", **options: Any
    ) -> urllib3.BaseHTTPResponse:
        """A request through nginx, over HTTPS, from one of the addresses of this machine."""
        with pool(self.folder, client) as http:
            return http.request(method, f"https://{self.secure}{path}", redirect=False, **options)

    def end(self) -> None:
        self.stop_server()
        if self.nginx:
            self.nginx.terminate()
            self.nginx.wait(timeout=30)


HTTP = urllib3.PoolManager(retries=False, timeout=30)


def pool(folder: Path, client: str = "127.0.0.1") -> urllib3.PoolManager:
    """Connections that trust our certificate."""
    return urllib3.PoolManager(
        retries=False,
        timeout=60,
        ca_certs=str(folder / "certificate.pem"),
        source_address=(client, 0),
    )


def _answers(address: str, folder: Path | None = None) -> bool:
    try:
        (pool(folder) if folder else HTTP).request("GET", address, redirect=False)
    except urllib3.exceptions.HTTPError:
        return False
    return True
