"""The page in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import chromium
from chromium import NARROW, WIDE, Window
from imagined_findings import finding
from made_up_audit import large_page
from seepage.audit.findings.survey import Survey
from seepage.report import render

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
OVERLAPS = """
const overlap = (one, other) => one.x + one.width > other.x + 2 && other.x + other.width > one.x + 2
    && one.y + one.height > other.y + 3 && other.y + other.height > one.y + 3;
const found = [];
for (const plot of document.querySelectorAll("svg.plot")) {
    const names = [...plot.querySelectorAll("text.name")], boxes = names.map(name => name.getBBox());
    boxes.forEach((box, place) => {
        if (box.x < 0 || box.x + box.width > plot.viewBox.baseVal.width) found.push(names[place].textContent);
        for (let other = 0; other < place; other++)
            if (overlap(box, boxes[other])) found.push(names[place].textContent + " / " + names[other].textContent);
    });
}
return found;
"""
DRAWN = """
return [...document.querySelectorAll("svg[role=img]")].map(picture => {
    const {width, height} = picture.getBoundingClientRect();
    return [width, height, picture.querySelectorAll("path, circle, rect, polyline").length];
});
"""

pytestmark = pytest.mark.skipif(not chromium.READY, reason=chromium.MISSING)


@pytest.fixture(scope="module")
def browser() -> Iterator[Window]:
    with chromium.window() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """A page with everything that a page can have."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(large_page(), encoding="utf-8")
    return path


def test_every_fold_opens_every_plot_is_drawn_and_the_console_is_silent(browser, page):
    browser.show(page)
    assert browser.unfold() == browser.ask("return document.querySelectorAll('details').length") > 10
    boxes = browser.ask(DRAWN)
    assert len(boxes) > 5 and all(width > 50 and height > 50 and drawn for width, height, drawn in boxes)
    assert browser.complaints() == []


def test_the_answers_fit_on_the_first_screen(browser, page):
    browser.show(page)
    assert browser.ask("return document.querySelector('.answers').getBoundingClientRect().bottom") <= WIDE[1]


def test_a_phone_needs_no_scrolling_sideways(browser, page):
    browser.show(page, NARROW)
    assert browser.ask("return document.documentElement.scrollWidth") <= NARROW[0]
    browser.unfold()
    wide = browser.ask("""return [...document.body.querySelectorAll("*")].filter(one =>
        !one.closest(".unseen, thead, svg, .skip") && one.getBoundingClientRect().right > innerWidth + 1
    ).map(one => one.outerHTML.slice(0, 80))""")
    assert wide == []


def test_names_in_a_chart_lie_neither_on_each_other_nor_outside(browser, page):
    browser.show(page)
    browser.unfold()
    touching = browser.ask(OVERLAPS)
    assert touching == []
    assert browser.ask("return document.querySelectorAll('svg.plot text.name').length") > 10


def test_names_with_tags_are_text_everywhere(browser, tmp_path):
    words = ("data", "attack", "federation", "defense", "blind_kind", "utility_metric", "rows")
    named = finding(**dict.fromkeys(words, HOSTILE), adversary=(HOSTILE,), knowledge={HOSTILE: HOSTILE})
    path = tmp_path / "report.html"
    path.write_text(render(Survey([finding(), named], HOSTILE)), encoding="utf-8")
    browser.show(path)
    browser.unfold()
    assert browser.ask("return document.querySelectorAll('script, img').length") == 0
    assert browser.ask("return document.body.textContent").count(HOSTILE) > 10
    assert browser.complaints() == []


def test_scripts_and_styles_that_slip_in_do_nothing(browser, page, tmp_path):
    intruder = "<script>document.title = 'intruder'</script><p style='color: red' onclick='1'>x</p></body>"
    path = tmp_path / "report.html"
    path.write_text(page.read_text(encoding="utf-8").replace("</body>", intruder), encoding="utf-8")
    browser.show(path)
    assert browser.driver.title.startswith("Leakage audit of")
    assert browser.ask("return getComputedStyle(document.body.lastElementChild).color") != "rgb(255, 0, 0)"
    assert any("Content Security Policy" in said for said in browser.complaints())


def test_folds_open_with_the_keyboard_and_focus_can_be_seen(browser, page):
    from selenium.webdriver import Keys

    browser.show(page)
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the answers"
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    for _ in range(50):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        if browser.ask("return document.activeElement.tagName") == "SUMMARY":
            break
    assert browser.ask("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.ask("return document.activeElement.parentElement.open")


def brightness(color: str) -> float:
    """Return how bright a color is, as a browser computes it for contrast."""
    values = [int(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(", ")]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_in_light_and_dark(browser, page, dark):
    browser.show(page, dark=dark)
    colors = browser.ask("""const sheet = getComputedStyle(document.querySelector(".answer")).backgroundColor;
        return [".answer p", ".answer h3", ".lead", ".matrix small", "thead th", "figcaption", ".notes li"].map(
            one => [one, sheet, getComputedStyle(document.querySelector(one)).color])""")
    for name, ground, ink in colors:
        low, high = sorted((brightness(ground), brightness(ink)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name
        assert (brightness(ground) < 0.2) == dark


def test_on_paper_everything_is_unfolded_and_black_on_white(browser, page):
    browser.show(page, dark=True, media="print")
    assert browser.ask("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.ask("return document.querySelectorAll('details[open]').length") == 0
    hidden = browser.ask("""return [...document.querySelectorAll("details > table, details > dl, details > p")].filter(
        one => !one.checkVisibility({contentVisibilityAuto: true}) || !one.getBoundingClientRect().height).length""")
    assert hidden == 0
