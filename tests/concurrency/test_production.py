"""From an empty folder to production by the commands of docs/operations.md, and what it is then."""

import json
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests import production, services
from tests.conftest import missing_service
from tests.contract.test_documents import section
from tests.interleaving import wait_until
from tests.production import DOCUMENT, HTTP, PROGRAMS, Production, steps

PASSWORD = "correct-horse-battery-staple"  # noqa: S105 - of a test
HEADING = "## From nothing to production"
NO_INDEX = re.compile(r"NewConnectionError|Temporary failure|No matching distribution|timed out")


def bank_file(folder: Path, database: psycopg.Connection[Any]) -> tuple[Path, int]:
    """A bank from three days ago to ninety ahead, and the puzzle of the day before yesterday."""
    row = database.execute("SELECT (now() AT TIME ZONE 'UTC')::date").fetchone()
    assert row
    today = row[0]
    items = [
        {
            "date": (today + timedelta(days=days)).isoformat(),
            "name": f"Item {days + 4}",
            "size": "2 lbs",
            "price": "9.49",
        }
        for days in range(-3, 91)
    ]
    path = folder / "bank.json"
    path.write_text(json.dumps(items))
    return path, (today - type(today)(2023, 9, 21)).days + 1 - 2


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: str | None, redis_url: str | None
) -> Iterator[tuple[Production, int]]:
    for name in PROGRAMS:
        if shutil.which(name) is None and shutil.which(name, path="/usr/sbin") is None:
            missing_service(name)
    if postgres_server is None:
        missing_service("PostgreSQL")
    if redis_url is None:
        missing_service("Redis")
    assert postgres_server
    assert redis_url
    folder = tmp_path_factory.mktemp("production")
    name = f"costcodle_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        bank, number = bank_file(folder, admin)
        site = prepared(folder, name, postgres_server, redis_url, bank)
        try:
            site.build()
            yield site, number
        except AssertionError as error:
            if NO_INDEX.search(str(error)):
                missing_service("a package index")
            raise
        finally:
            site.end()
            admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            admin.execute(f'DROP ROLE IF EXISTS "{name}"')


def prepared(folder: Path, name: str, postgres: str, redis: str, bank: Path) -> Production:
    """Places of its own for everything that the document gives a name to."""
    plain, secure, direct = (f"127.0.0.1:{services.free_port()}" for _ in range(3))
    for each in ("units", "sites", "run", "state"):
        (folder / each).mkdir()
    programs = production.stand_ins(folder, secure)
    server = postgres.rpartition("@")[2].partition("/")[0]
    environment = production.passed_on() | {
        "PATH": f"{programs}:{production.passed_on()['PATH']}",
        "CURL_CA_BUNDLE": str(folder / "certificate.pem"),
        "SOURCE": str(production.source(folder)),
        "BANK": str(bank),
        "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        "SERVER_NAME": "127.0.0.1",
        "ORIGIN": f"https://{secure}",
        "ROOT": str(folder / "root"),
        "STATE": str(folder / "state"),
        "ACCOUNT": production.account(),
        "PSQL": f"psql {postgres}",
        "DATABASE_SERVER": server,
        "DATABASE": name,
        "CACHE": f"{redis.rpartition('/')[0]}/{1 + uuid.uuid4().int % 15}",
        "BIND": direct,
        "LISTEN": plain,
        "UNITS": str(folder / "units"),
        "SITES": str(folder / "sites"),
    }
    return Production(
        folder=folder, environment=environment, plain=plain, secure=secure, direct=direct
    )


@pytest.fixture
def site(built: tuple[Production, int]) -> Production:
    return built[0]


@pytest.fixture
def number(built: tuple[Production, int]) -> int:
    return built[1]


def scraped(site: Production) -> dict[str, float]:
    text = HTTP.request("GET", f"http://{site.direct}/metrics").data.decode()
    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_block_that_is_marked_as_shell_is_typed() -> None:
    described = section("docs/operations.md", HEADING)
    kinds = {kind for kind, _ in production.fences(described)}
    assert kinds == {"sh"}
    marked = [text for kind, text in production.fences(DOCUMENT.read_text("utf-8")) if kind == "sh"]
    assert [text for _, text in production.fences(described)] == marked
    assert "".join(step if step.endswith("\n") else f"{step}\n" for step in steps()) == (
        "".join(marked)
    )


def test_the_installed_units_have_nothing_to_complain_about(site: Production) -> None:
    units = sorted(map(str, (site.folder / "units").iterdir()))
    assert len(units) == 3
    verified = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=True
    )
    # An unknown key is only said, and leaves the status at 0.
    assert [line for line in verified.stderr.splitlines() if "costcodle" in line] == []


def test_two_firings_at_once_publish_each_answer_once(site: Production) -> None:
    assert [status for status, _ in site.runs] in ([0, 0], [0, 75], [75, 0])
    items = [event for _, events in site.runs for event in events if event["event"] == "item"]
    published = [event["puzzle"] for event in items if event["outcome"] == "published"]
    assert len(published) == len(set(published)) >= 2
    ends = [events[-1] for _, events in site.runs]
    assert [end["event"] for end in ends] == ["run", "run"]
    assert len({end["run"] for end in ends}) == 2


def test_the_pages_are_there(site: Production, number: int) -> None:
    for path in ("/", "/answers/", f"/answers/{number}", "/sitemap.xml", "/healthz", "/readyz"):
        assert site.get(path).status == 200, path
    ready = site.get("/readyz").json()
    assert (ready["status"], ready["overdue_answers"]) == ("ready", 0)
    assert ready["bank_days_left"] >= 89
    assert site.get("/nowhere").status == 404


def test_a_page_comes_as_the_site_made_it(site: Production) -> None:
    plain, coded = site.get("/about"), site.get("/about", **{"Accept-Encoding": "gzip"})
    assert coded.headers["Content-Encoding"] == "gzip"
    assert coded.headers["ETag"].startswith('"')
    assert coded.headers["ETag"] != plain.headers["ETag"]
    assert plain.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert "costcodle; " in plain.headers["Cache-Status"]
    again = site.get("/about", **{"If-None-Match": plain.headers["ETag"]})
    assert (again.status, again.data) == (304, b"")
    assert "Set-Cookie" not in plain.headers


def test_a_static_file_is_kept_for_ever_under_its_hashed_name(site: Production) -> None:
    found = re.search(r'href="(/static/[^"]+\.css)"', site.get("/").data.decode())
    assert found
    file = site.get(found[1])
    assert file.status == 200
    assert "immutable" in file.headers["Cache-Control"]


def test_a_guess_is_judged(site: Production, number: int) -> None:
    guess = {"guess": "8", "token": None, "session": str(uuid.uuid4())}
    judged = site.ask("POST", f"/api/play/{number + 2}/guess", json=guess)
    assert judged.status == 200
    large = site.ask("POST", f"/api/play/{number + 2}/guess", body=b"x" * 20_000)
    assert large.status == 413


def test_plain_http_leads_to_https_and_a_made_up_host_nowhere(site: Production) -> None:
    plain = HTTP.request("GET", f"http://{site.plain}/about", redirect=False)
    assert plain.status == 301
    assert plain.headers["Location"].startswith("https://")
    forged = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    still = HTTP.request("GET", f"http://{site.plain}/about", headers=forged, redirect=False)
    assert still.status == 301
    assert "evil" not in still.headers["Location"]
    assert site.get("/about", Host="evil.example").status == 400


@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "/%6detrics", "//metrics"])
def test_metrics_are_refused_from_outside(site: Production, path: str) -> None:
    refused = site.get(path, **{"X-Forwarded-For": "127.0.0.1"})
    assert refused.status == 404
    assert b"costcodle_" not in refused.data


def test_metrics_are_told_on_loopback_for_all_processes_together(site: Production) -> None:
    before = scraped(site)
    assert before["costcodle_up"] == 1
    assert before["costcodle_items published"] >= 2
    assert before["costcodle_publication_log_total create"] >= 2
    for _ in range(20):
        site.get("/about")
    names = [f"costcodle_edge_responses_total {how}" for how in ("hit", "stored", "miss")]

    def answered(samples: dict[str, float]) -> float:
        return sum(samples.get(name, 0) for name in names)

    assert answered(scraped(site)) - answered(before) == 20


def test_a_process_that_dies_takes_no_count_with_it(site: Production) -> None:
    site.get("/about")
    before = scraped(site)["costcodle_edge_renders_total"]
    log = site.folder / "server.log"

    def booted() -> list[int]:
        return [int(pid) for pid in re.findall(r"Booting worker with pid: (\d+)", log.read_text())]

    workers = booted()[-2:]
    for worker in workers:
        subprocess.run(["kill", "-KILL", str(worker)], check=True)
    wait_until(lambda: len(set(booted()) - set(workers)) >= 2 and booted()[-2:] != workers)
    wait_until(site.lives)
    assert scraped(site)["costcodle_edge_renders_total"] >= before
    (folder,) = (site.folder / "run").iterdir()
    assert len(list(folder.glob("counter_*.db"))) <= 2


def flood(site: Production, method: str, path: str, client: str, times: int) -> list[Any]:
    with production.pool(site.folder, client) as http:
        address = f"https://{site.secure}{path}"
        fields = {"fields": {"x": "1"}} if method == "POST" else {}
        return [http.request(method, address, redirect=False, **fields) for _ in range(times)]


@pytest.mark.parametrize(
    ("method", "path", "client", "times"),
    [
        ("GET", "/api/openapi.json", "127.0.0.11", 120),
        ("POST", "/", "127.0.0.12", 80),
        ("POST", "/admin/login/", "127.0.0.13", 12),
    ],
)
def test_a_flood_is_refused_and_told_when_to_come_back(
    site: Production, method: str, path: str, client: str, times: int
) -> None:
    answers = flood(site, method, path, client, times)
    refused = [answer for answer in answers if answer.status == 429]
    assert answers[0].status != 429
    assert refused
    assert int(refused[-1].headers["Retry-After"]) >= 1
    assert refused[-1].headers["Cache-Control"] == "private, no-store"
    if path.startswith("/api/"):
        assert refused[-1].json()["error"]["code"] == "too_many_requests"
    assert site.get("/about").status == 200


def test_reading_pages_is_not_limited(site: Production) -> None:
    answers = flood(site, "GET", "/about", "127.0.0.14", 100)
    assert {answer.status for answer in answers} == {200}


def test_the_keeper_can_log_in(site: Production) -> None:
    with production.pool(site.folder, "127.0.0.15") as http:
        address = f"https://{site.secure}/admin/login/"
        page = http.request("GET", address)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.data.decode())
        assert token
        entered = http.request(
            "POST",
            address,
            fields={"csrfmiddlewaretoken": token[1], "username": "admin", "password": PASSWORD},
            headers={"Cookie": page.headers["Set-Cookie"].partition(";")[0], "Referer": address},
            redirect=False,
        )
    assert entered.status == 302
    assert "Secure" in entered.headers["Set-Cookie"]


def test_what_the_site_says_about_a_fault_is_not_masked(site: Production) -> None:
    url = production.variables(site.folder / "root" / ".env")["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as database:
        database.execute("ALTER TABLE site_state RENAME TO site_state_away")
        try:
            faulty = site.get("/answers/")
            samples = scraped(site)
        finally:
            database.execute("ALTER TABLE site_state_away RENAME TO site_state")
    assert (faulty.status, faulty.headers["Retry-After"]) == (503, "30")
    assert "text/html" in faulty.headers["Content-Type"]
    assert samples["costcodle_up"] == 0
    assert "costcodle_edge_renders_total" in samples


def test_while_the_server_is_away_nginx_says_so(site: Production) -> None:
    (away,) = site.while_away
    assert (away.status, away.headers["Retry-After"]) == (503, "30")
    assert away.headers["Cache-Control"] == "private, no-store"


def test_every_line_of_the_log_is_one_event_and_names_no_visitor(site: Production) -> None:
    site.get("/nowhere%0Alevel=error%0D%0Aevent=forged?secret=1", **{"User-Agent": "Secretive"})
    log = site.folder / "server.log"

    def forged() -> list[dict[str, Any]]:
        lines = log.read_text().splitlines()
        return [event for event in map(json.loads, lines) if "forged" in event.get("path", "")]

    wait_until(lambda: bool(forged()))
    text, (event,) = log.read_text(), forged()
    assert (event["event"], event["status"]) == ("request", 404)
    assert "Secretive" not in text
    assert "secret=1" not in text
    assert (site.folder / "error.log").read_text().count("limiting requests") == 0


def test_the_audit_is_clean(site: Production) -> None:
    audit = subprocess.run(
        [".venv/bin/python", "manage.py", "audit_publication", "--json"],
        cwd=site.folder / "root",
        env=production.passed_on(),
        capture_output=True,
        check=False,
    )
    assert audit.returncode == 0, audit.stdout
