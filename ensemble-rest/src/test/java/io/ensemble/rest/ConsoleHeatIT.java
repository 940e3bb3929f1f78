package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.heat.HeatRecorder;
import io.ensemble.rest.console.BrowserPage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The heat map on the page of a cache, in a real browser. */
@Timeout(120)
class ConsoleHeatIT {

  @Test
  void theHotKeysOfACacheAreShownByMinute() throws Exception {
    try (ConsoleFixture it = new ConsoleFixture()) {
      it.create("stock", "MWMR");
      HeatRecorder recorder = HeatRecorder.create();
      try (EnsembleCacheManager process = it.served.builder().recorder(recorder).build()) {
        recorder.publishTo(process);
        EnsembleCache<String, String> stock = process.getCache("stock");
        stock.put(ConsoleIT.HOSTILE, "value");
        for (int i = 0; i < 9; i++) {
          assertThat(stock.get(ConsoleIT.HOSTILE)).isEqualTo("value");
        }
        recorder.close();
      }
      it.live();
      assertThat(it.page.see("document.querySelector('#heat').hidden").asBoolean()).isTrue();

      it.page.see("location.hash = '#cache/stock'");
      it.page.until("it is offered", "!document.querySelector('#heat').hidden");
      it.page.see("document.querySelector('[data-do=heat]').click()");

      it.page.until("it is shown", "document.querySelector('#heat-body tbody tr') !== null");
      String row = ConsoleFixture.row("heat-body", ConsoleIT.HOSTILE);
      assertThat(it.page.see(row + ".innerText").asText()).contains(ConsoleIT.HOSTILE, "10");
      assertThat(it.page.see(row + ".querySelectorAll('.heat rect').length").asInt()).isPositive();
      assertThat(it.page.see("window.broken === undefined").asBoolean()).isTrue();
      assertThat(it.page.text("#heat-body"))
          .contains("10 operations of 1 processes", "lyon", "oslo", "rome");
      it.page.see("location.hash = '#sites'");
      it.page.see("document.querySelector('[data-do=grid]').click()");
      it.page.until("the grid is shown", "document.querySelector('#load-body tbody tr') !== null");
      assertThat(it.page.see("document.querySelectorAll('#load-body tbody tr').length").asInt())
          .as("one cache is recorded")
          .isEqualTo(1);
      assertThat(it.page.text("#load-body thead")).contains("lyon", "oslo", "rome");
      assertThat(
              it.page
                  .see(
                      ConsoleFixture.row("load-body", "stock")
                          + ".querySelectorAll('.heat').length")
                  .asInt())
          .isEqualTo(3);

      it.page.see("location.hash = '#cache/other'");
      it.page.until(
          "another cache has none of it",
          "document.querySelector('#heat-body').innerText === " + BrowserPage.quoted(""));
    }
  }
}
