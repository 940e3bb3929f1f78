package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.rest.console.BrowserPage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The changes of a key on the page of its cache, in a real browser. */
@Timeout(120)
class ConsoleChangesIT {

  private static final String ROWS = "document.querySelectorAll('#changes-body tbody tr').length";
  private static final String CONDITION = "document.querySelector('#changes-state').innerText";

  @Test
  void theChangesOfAKeyAreShownAsTheyCome() throws Exception {
    try (ConsoleFixture it = new ConsoleFixture()) {
      it.create("stock", "MWMR");
      EnsembleCache<String, String> stock = it.served.manager.getCache("stock");
      it.live();
      it.page.see("location.hash = '#cache/stock'");
      it.page.until("they are offered", "!document.querySelector('#changes').hidden");

      it.page.see("document.querySelector('#changes-key').value = " + quoted(ConsoleIT.HOSTILE));
      it.page.see("document.querySelector('#changes-follow').click()");
      it.page.until("the stream is open", CONDITION + " === 'Live.'");
      stock.put("other", "not shown");
      stock.put(ConsoleIT.HOSTILE, ConsoleIT.HOSTILE);
      it.page.until("the write is shown", ROWS + " === 1");
      stock.remove(ConsoleIT.HOSTILE);

      it.page.until("the removal is shown", ROWS + " === 2");
      assertThat(it.page.text("#changes-body"))
          .contains("created", "removed", ConsoleIT.HOSTILE)
          .doesNotContain("not shown");
      assertThat(it.page.see("window.broken === undefined").asBoolean()).isTrue();

      it.page.see("document.querySelector('#changes-stop').click()");
      it.page.until("it has ended", CONDITION + ".startsWith('Stopped at')");
      it.page.see("location.hash = '#cache/other'");
      it.page.until("another cache has none of it", ROWS + " === 0");
      it.page.see("document.querySelector('#changes-follow').click()");
      it.page.until("a cache that does not exist", CONDITION + ".startsWith('Not available: ')");
    }
  }

  private static String quoted(String text) {
    return BrowserPage.quoted(text);
  }
}
