"""A game as a player meets it: judged, refused, repeated, restored, shared."""

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browsing import TODAY, YESTERDAY, Served, Visit, Visitor, play, rows

pytestmark = pytest.mark.browser

REFUSED = "status of 400"  # Chromium itself logs a request that was refused
OFFLINE = "ERR_"
SHARED = f"Costcodle #{TODAY} 2/6\n\u2b06\ufe0f\U0001f7e8\n\u2705\n"
IN_WORDS = f"Costcodle #{TODAY} 2/6\nGuess 1: too low, near\nGuess 2: won\n"
RUBBISH = ("{", "[]", "7", '{"session": "x", "token": null}', '{"session": "x", "rows": [{}]}')
INSECURE = "delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard;"
NO_CLIPBOARD = """
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) },
    });
    document.execCommand = () => false;
"""
SHARE_DENIED = """
    navigator.share = () => Promise.reject(new DOMException("no", "NotAllowedError"));
"""
SHARE_WORKS = """
    navigator.share = (data) => { window.shared = data.text; return Promise.resolve(); };
"""
SHARE_ABORTED = """
    navigator.share = () => Promise.reject(new DOMException("no", "AbortError"));
"""


def guesses_sent(visit: Visit) -> list[Request]:
    return [request for request in visit.requests if request.url.endswith("/guess")]


def board_key(mode: str = "daily", number: int = TODAY) -> str:
    return f"costcodle.board.{mode}.{number}"


def value(page: Page, selector: str) -> str:
    return page.locator(selector).input_value()


def test_a_game_is_won(visitor: Visitor, served: Served) -> None:
    visit = visitor(timezone_id="Europe/Paris")
    page = visit.open()
    expect(page.locator("#announcement")).to_be_empty()
    play(page, "8")
    expect(page.locator("#announcement")).to_have_text(
        "Guess 1: $8.00, too low, near. 5 guesses left."
    )
    expect(page.locator("#guess")).to_be_focused()
    expect(page.locator("#guess")).to_have_value("")
    play(page, "9,49")
    assert rows(page) == ["$8.00 \u2191 too low, near", "$9.49 \u2713 won"]
    expect(page.locator("#announcement")).to_have_text("Guess 2: $9.49. You have won.")
    expect(page.get_by_role("heading", name="You have won")).to_be_focused()
    expect(page.locator("#guessing")).to_be_hidden()
    end = page.locator("#end")
    expect(end).to_contain_text("$9.49")
    expect(end).to_contain_text("Anything from $9.02 to $9.96 would have won.")
    assert value(page, "#share") == f"{SHARED}{served.origin}"
    assert value(page, "#share-in-words") == f"{IN_WORDS}{served.origin}"
    expect(end.locator("[data-mine]")).to_contain_text("1 (100 %) you")
    expect(end.locator(".distribution p")).to_have_text("Games: 1")
    expect(end.locator(".figures")).to_contain_text("100 %")
    assert served.results() == [(TODAY, "won", 2)]
    assert len(guesses_sent(visit)) == 2


def test_a_game_is_lost(visitor: Visitor, served: Served) -> None:
    page = visitor().open()
    play(page, "1", "2", "3", "4", "5", "1000")
    expect(page.locator("#announcement")).to_have_text(
        "Guess 6: $1,000.00, too high, far. That was the last guess."
    )
    expect(page.get_by_role("heading", name="Not this time")).to_be_focused()
    expect(page.locator("#end .price")).to_have_text("$9.49")
    expect(page.locator("#end [data-mine]")).to_contain_text("X")
    assert value(page, "#share").startswith(f"Costcodle #{TODAY} X/6\n")
    assert served.results() == [(TODAY, "lost", 6)]


def test_a_game_is_played_by_keyboard_alone(visitor: Visitor) -> None:
    page = visitor().open()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "guess":
            break
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    expect(page.locator("#announcement")).to_contain_text("Guess 1")
    page.keyboard.type("9.49")
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#result")).not_to_be_focused()  # only the end of a game leads there
    page.locator("[data-opens=statistics]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Your statistics")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("[data-opens=statistics]")).to_be_focused()


def test_without_a_script_a_game_goes_to_its_end(visitor: Visitor, served: Served) -> None:
    page = visitor(java_script_enabled=False).open()
    expect(page.locator("#tools")).to_be_hidden()
    page.locator("#guess").fill("8")
    page.locator("#guess").press("Enter")
    expect(page.locator("#guess")).to_be_focused()
    page.keyboard.type("9.49")
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_have_text("You have won")
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("[data-shares]").first).to_be_hidden()
    assert rows(page) == ["$8.00 \u2191 too low, near", "$9.49 \u2713 won"]
    assert served.results() == [(TODAY, "won", 2)]


def test_a_game_begun_without_the_script_goes_on_with_it(visitor: Visitor, served: Served) -> None:
    visit = visitor(allowed=(REFUSED,))
    script = "**/game.js"
    visit.context.route(script, lambda route: route.fulfill(content_type="text/javascript"))
    page = visit.open()
    page.locator("#guess").fill("8")
    page.locator("#guess").press("Enter")
    visit.context.unroute(script)
    expect(page.locator("li.row[data-verdict]")).to_have_count(1)
    expect(page.locator("#guess")).to_be_focused()
    page.locator("#guess").fill("1.299")
    page.locator("#guess").press("Enter")
    expect(page.locator("#refusal")).not_to_be_empty()
    expect(page.locator("#guess")).to_be_focused()
    play(page, "9.49")
    assert rows(page) == ["$8.00 \u2191 too low, near", "$9.49 \u2713 won"]
    assert served.results() == [(TODAY, "won", 2)]


def test_a_refused_guess_costs_no_turn_and_stays_to_be_mended(visitor: Visitor) -> None:
    page = visitor(allowed=(REFUSED,)).open()
    play(page, "8")
    for text, why in (("1.299", "two ways"), ("8.00", "before"), ("", "price")):
        page.locator("#guess").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator("#refusal")).to_contain_text(why)
        expect(page.locator("#guess")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#guess")).to_be_focused()
        assert value(page, "#guess") == text
    assert rows(page) == ["$8.00 \u2191 too low, near"]
    play(page, "8.50")
    expect(page.locator("#guess")).to_have_attribute("aria-invalid", "false")
    expect(page.locator("#refusal")).to_be_empty()


def test_a_double_enter_and_a_double_click_send_one_request(visitor: Visitor) -> None:
    visit = visitor()
    page = visit.open()
    held: list[Route] = []
    visit.context.route("**/guess", lambda route: held.append(route))  # noqa: PLW0108 - as there
    page.locator("#guess").fill("8")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Guess").dblclick()
    assert len(guesses_sent(visit)) == len(held) == 1
    held[0].continue_()
    expect(page.locator("#announcement")).to_contain_text("Guess 1")
    visit.context.unroute_all()
    assert len(guesses_sent(visit)) == 1


def test_a_guess_whose_answer_was_lost_is_repeated_with_the_same_session(
    visitor: Visitor, served: Served
) -> None:
    visit = visitor(allowed=(OFFLINE,))
    page = visit.open()

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    visit.context.route("**/guess", lose_the_answer)
    page.locator("#guess").fill("9.49")
    page.keyboard.press("Enter")
    expect(page.locator("#refusal")).to_contain_text("could not reach")
    expect(page.locator("#guess")).to_have_value("9.49")
    expect(page.locator("#guess")).to_have_attribute("aria-invalid", "false")
    visit.context.unroute_all()
    page.reload()
    play(page, "9.49")
    first, second = (request.post_data for request in guesses_sent(visit))
    assert first == second
    assert '"token":null' in str(first)
    expect(page.locator("#end [data-mine]")).to_be_visible()
    assert served.results() == [(TODAY, "won", 1)]


def test_a_result_that_could_not_be_reported_is_reported_later(
    visitor: Visitor, served: Served
) -> None:
    visit = visitor(allowed=(OFFLINE,))
    page = visit.open()
    page.clock.install()
    visit.context.route("**/api/results", lambda route: route.abort())
    play(page, "9.49")
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("#end .distribution")).to_be_hidden()
    assert served.results() == []
    visit.context.unroute_all()
    page.clock.run_for(8_000)
    expect(page.locator("#end .distribution")).to_be_visible()
    assert served.results() == [(TODAY, "won", 1)]


def test_a_server_that_asks_for_a_pause_gets_it(visitor: Visitor) -> None:
    visit = visitor(allowed=("status of 429",))
    page = visit.open()
    page.clock.install()
    answer = {"error": {"code": "too_many_requests", "message": "Too much."}}
    visit.context.route(
        "**/guess",
        lambda route: route.fulfill(status=429, headers={"Retry-After": "20"}, json=answer),
    )
    page.locator("#guess").fill("8")
    page.keyboard.press("Enter")
    expect(page.locator("#refusal")).to_have_text("Too much.")
    visit.context.unroute_all()
    page.keyboard.press("Enter")
    expect(page.locator("#refusal")).to_contain_text("Please wait for")
    assert len(guesses_sent(visit)) == 1
    page.clock.run_for(21_000)
    expect(page.locator("#refusal")).to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator("#announcement")).to_contain_text("Guess 1")


def test_a_board_is_there_again_after_a_reload_and_after_its_end(
    visitor: Visitor, served: Served
) -> None:
    page = visitor().open()
    play(page, "8")
    page.reload()
    assert rows(page) == ["$8.00 \u2191 too low, near"]
    play(page, "9.49")
    page.reload()
    expect(page.locator("#result")).to_have_text("You have won")
    expect(page.locator("#result")).not_to_be_focused()
    expect(page.locator("#end [data-mine]")).to_be_visible()
    expect(page.locator("#guessing")).to_be_hidden()
    assert served.results() == [(TODAY, "won", 2)]


def test_a_second_tab_picks_up_what_the_first_has_played(visitor: Visitor) -> None:
    visit = visitor()
    first, second = visit.open(), visit.open()
    play(first, "8")
    expect(second.locator("#board .row[data-verdict]")).to_have_count(1)
    play(second, "8.50")
    expect(first.locator("#board .row[data-verdict]")).to_have_count(2)
    assert rows(first) == rows(second)
    play(first, "9.49")
    expect(second.locator("#result")).to_have_text("You have won")


def test_a_stored_board_that_is_rubbish_begins_anew(visitor: Visitor) -> None:
    page = visitor().open()
    for rubbish in RUBBISH:
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [board_key(), rubbish])
        page.reload()
        assert rows(page) == [], rubbish
    play(page, "9.49")
    expect(page.locator("#result")).to_have_text("You have won")


def test_a_stored_token_that_the_server_refuses_begins_anew(visitor: Visitor) -> None:
    page = visitor(allowed=(REFUSED,)).open()
    play(page, "8")
    page.evaluate(
        """key => {
          const board = JSON.parse(localStorage.getItem(key));
          localStorage.setItem(key, JSON.stringify({ ...board, token: `${board.token}x` }));
        }""",
        board_key(),
    )
    page.reload()
    page.locator("#guess").fill("9.49")
    page.locator("#guess").press("Enter")
    expect(page.locator("#refusal")).to_have_text("This game has to start again.")
    assert rows(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_have_text("You have won")


def test_practice_never_touches_the_record_and_can_be_played_again(
    visitor: Visitor, served: Served
) -> None:
    visit = visitor()
    page = visit.open(f"/play/{YESTERDAY}")
    play(page, "1")
    page.reload()
    assert rows(page) == ["$1.00 \u2191 too low, far"]
    play(page, "20")
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("#end .distribution p")).to_have_text("Games: \u2014")
    expect(page.locator("#end .mine")).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage)") == [board_key("practice", YESTERDAY)]
    assert served.results() == []
    page.get_by_role("button", name="Play it again").click()
    assert rows(page) == []
    expect(page.locator("#end")).to_have_count(0)
    play(page, "20")
    expect(page.locator("#result")).to_have_text("You have won")


# Storage that cannot be used


@pytest.mark.parametrize(
    "broken",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } });",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };",
    ],
    ids=["denied", "full"],
)
def test_a_game_is_played_where_nothing_can_be_stored(
    visitor: Visitor, served: Served, broken: str
) -> None:
    visit = visitor()
    visit.context.add_init_script(broken)
    page = visit.open()
    play(page, "8", "9.49")
    expect(page.locator("#end [data-mine]")).to_be_visible()
    page.locator("[data-opens=statistics]").click()
    expect(page.locator("#not-kept")).to_be_visible()
    expect(page.locator("#statistics .figures")).to_contain_text("100 %")
    assert served.results() == [(TODAY, "won", 2)]


# Sharing


def ended(visitor: Visitor, *scripts: str) -> Page:
    visit = visitor()
    for script in scripts:
        visit.context.add_init_script(script)
    page = visit.open()
    play(page, "8", "9.49")
    return page


def is_selected(page: Page, box: str) -> bool:
    found: bool = page.evaluate(
        """id => {
          const box = document.getElementById(id);
          const whole = box.selectionStart === 0 && box.selectionEnd === box.value.length;
          return document.activeElement === box && whole;
        }""",
        box,
    )
    return found


def test_a_game_is_copied_in_signs_and_in_words(visitor: Visitor, served: Served) -> None:
    visit = visitor(permissions=["clipboard-read", "clipboard-write"])
    page = visit.open()
    play(page, "8", "9.49")
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#shared")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == f"{SHARED}{served.origin}"
    page.get_by_text("The same in words").click()
    page.get_by_role("button", name="Copy the words").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('Guess 1'))")
    assert page.evaluate("navigator.clipboard.readText()") == f"{IN_WORDS}{served.origin}"


def test_an_origin_without_https_can_play_and_copy_all_the_same(visitor: Visitor) -> None:
    page = ended(visitor, INSECURE)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#shared")).to_have_text("Copied.")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()


def test_a_clipboard_that_refuses_leaves_the_text_selected(visitor: Visitor) -> None:
    page = ended(visitor, NO_CLIPBOARD)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#shared")).to_contain_text("The text is selected")
    assert is_selected(page, "share")


def test_a_share_that_is_denied_falls_back_and_one_that_works_is_told(visitor: Visitor) -> None:
    page = ended(visitor, SHARE_DENIED, NO_CLIPBOARD)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#shared")).to_contain_text("The text is selected")
    assert is_selected(page, "share")
    page.evaluate(f"() => {{ {SHARE_ABORTED} }}")
    page.evaluate("document.querySelector('#shared').textContent = ''")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#shared")).to_be_empty()
    page.evaluate(f"() => {{ {SHARE_WORKS} }}")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#shared")).to_have_text("Shared.")
    assert page.evaluate("window.shared").startswith(SHARED)


def test_a_browser_that_cannot_share_offers_to_copy_alone(visitor: Visitor) -> None:
    page = ended(visitor, "delete Navigator.prototype.share;")
    expect(page.get_by_role("button", name="Share", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
