package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console by keyboard, on a phone, in the light and in the dark. */
@Timeout(120)
class ConsoleAccessibilityIT {

  private ConsoleFixture it;

  @BeforeEach
  void watch() throws Exception {
    it = new ConsoleFixture();
  }

  @AfterEach
  void close() throws Exception {
    it.close();
  }

  @Test
  void aKeyIsLookedUpByKeyboardAlone() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "bolt");
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "stock") + " !== undefined");

    List<String> stops = new ArrayList<>();
    for (int i = 0; i < 40 && !stops.contains("lookup-key"); i++) {
      it.page.press("Tab");
      stops.add(
          it.page.see("document.activeElement.id || document.activeElement.innerText").asText());
      assertThat(
              it.page
                  .see("getComputedStyle(document.activeElement).outlineStyle !== 'none'")
                  .asBoolean())
          .as("focus is seen at " + stops)
          .isTrue();
      it.page.until(
          "focus is on the screen at " + stops,
          "(({top, bottom}) => bottom > 0 && top <"
              + " innerHeight)(document.activeElement.getBoundingClientRect())");
    }
    it.page.type("bolt").press("Enter");

    assertThat(stops).startsWith("Skip to the federation");
    assertThat(stops)
        .containsSubsequence("Sites", "token-open", "stock", "lookup-cache", "lookup-key");
    it.page.until(
        "three sites are told of",
        "document.querySelectorAll('#lookup-body tbody tr').length === 3");
    assertThat(it.page.text("#lookup-body")).contains("same write", "latest");
  }

  @Test
  void theSkipLinkLeadsPastTheHeader() {
    it.live();

    it.page.press("Tab").press("Enter");

    it.page.until("the main part has the focus", "document.activeElement.id === 'main'");
  }

  @Test
  void focusStaysWhereItIsWhileThePageIsToldAnew() throws Exception {
    it.create("stock", "MWMR");
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "stock") + " !== undefined");
    it.page.see(ConsoleFixture.row("caches-body", "stock") + ".querySelector('a').focus()");

    it.create("another", "MWMR");

    it.page.until(
        "the other is there", ConsoleFixture.row("caches-body", "another") + " !== undefined");
    assertThat(it.page.see("document.activeElement.innerText").asText()).isEqualTo("stock");
  }

  @Test
  void aPhoneScrollsInOneDirectionOnly() throws Exception {
    it.create("a-name-that-is-as-long-as-names-get-".repeat(3), "MWMR");
    it.create(ConsoleIT.HOSTILE, "WEAK");
    it.page.size(360, 740, true);
    it.live();
    it.page.until(
        "the caches are there", "document.querySelectorAll('#caches-body tbody tr').length === 2");

    assertThat(it.page.see("document.documentElement.scrollWidth").asInt())
        .isLessThanOrEqualTo(360);
    assertThat(it.page.see("innerWidth").asInt()).isEqualTo(360);
    assertThat(it.page.see(WIDER).toString()).isEqualTo("[]");
  }

  @Test
  void thePageOfACacheIsReachedByKeyboardAndFitsAPhone() throws Exception {
    String name = "a-name-that-is-as-long-as-names-get-".repeat(3);
    it.create(name, "MWMR");
    it.put(name, "k");
    it.page.size(360, 740, true);
    it.live();
    it.page.until("the cache is there", ConsoleFixture.row("caches-body", name) + " !== undefined");

    it.page.see(ConsoleFixture.row("caches-body", name) + ".querySelector('a').focus()");
    it.page.press("Enter");

    it.page.until(
        "its page has the focus",
        "document.activeElement.id === 'detail-title' && document.activeElement.innerText.endsWith('get-')");
    it.page.until(
        "its replicas are there",
        "document.querySelectorAll('#detail-body tbody tr').length === 3");
    assertThat(it.page.see("document.documentElement.scrollWidth").asInt())
        .isLessThanOrEqualTo(360);
    assertThat(it.page.see(WIDER).toString()).isEqualTo("[]");
    it.page.press("Tab");
    assertThat(it.page.see("document.activeElement.closest('#detail') !== null").asBoolean())
        .isTrue();
  }

  private static final String WIDER =
      """
      [...document.querySelectorAll('main *, header *')]
        .filter((one) => !one.closest('.unseen, .skip, thead, svg') && one.getBoundingClientRect().right > 361)
        .map((one) => one.outerHTML.slice(0, 80))
      """;

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void everyTextStandsOutEnough(String scheme) throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.served.sites.get("rome").mood = MemorySite.Mood.MUTE;
    it.page.prefers("prefers-color-scheme", scheme);
    it.live();
    it.page.until(
        "rome is unreachable",
        ConsoleFixture.row("sites-body", "rome") + ".innerText.includes('unreachable')");
    it.page.until("the banner is shown", "!document.querySelector('#trouble').hidden");

    assertThat(it.page.see(FAINT).toString()).isEqualTo("[]");
    it.page.see("location.hash = 'site/rome'");
    it.page.until("its page is shown", "!document.querySelector('#detail').hidden");
    assertThat(it.page.see(FAINT).toString()).isEqualTo("[]");
    int red =
        it.page
            .see("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
            .asInt();
    assertThat(red < 128).isEqualTo(scheme.equals("dark"));
  }

  /** Texts with a contrast below 4.5 to 1, which WCAG AA requires for text of this size. */
  private static final String FAINT =
      """
      (() => {
        const light = ([r, g, b]) => {
          const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
          return 0.2126 * x + 0.7152 * y + 0.0722 * z;
        };
        const parts = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
        const behind = (one) => {
          if (!one) return [255, 255, 255];
          const [r, g, b, a] = parts(getComputedStyle(one).backgroundColor);
          const under = a < 1 ? behind(one.parentElement) : [0, 0, 0];
          return [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
        };
        const faint = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        let count = 0;
        while (walker.nextNode()) {
          const one = walker.currentNode.parentElement;
          if (!walker.currentNode.data.trim() || !one.checkVisibility() || one.closest('.unseen, .skip, noscript, svg')) continue;
          count += 1;
          const [a, b] = [light(parts(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
          const ratio = (a + 0.05) / (b + 0.05);
          if (ratio < 4.5) faint.push(`${walker.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
        }
        return count < 30 ? ['too little text: ' + count] : faint;
      })()
      """;

  @Test
  void tablesHaveHeadersControlsHaveNamesAndNothingMoves() throws Exception {
    it.create("stock", "MWMR");
    it.page.prefers("prefers-reduced-motion", "reduce");
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "stock") + " !== undefined");

    assertThat(
            it.page
                .see(
                    """
                    [...document.querySelectorAll('table')].filter((table) =>
                      !table.caption || [...table.rows].some((row) => !row.querySelector('th[scope]'))).length
                    """)
                .asInt())
        .isZero();
    assertThat(
            it.page
                .see(
                    """
                    [...document.querySelectorAll('button, a, input, select')].filter((one) =>
                      !one.innerText?.trim() && !one.labels?.length && !one.textContent.trim()).map((one) => one.outerHTML)
                    """)
                .toString())
        .isEqualTo("[]");
    assertThat(it.page.see("document.getAnimations().length").asInt()).isZero();
    assertThat(it.page.see("getComputedStyle(document.documentElement).scrollBehavior").asText())
        .isEqualTo("auto");
    assertThat(
            it.page
                .see(
                    "document.querySelectorAll('[id]').length - new"
                        + " Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size")
                .asInt())
        .isZero();
  }
}
