package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.console.Browser;
import io.ensemble.rest.console.BrowserPage;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Assumptions;

/** A page of the console, over a federation in memory. */
final class ConsoleFixture implements AutoCloseable {

  final BrowserPage page;
  final RestFixture served;

  ConsoleFixture() throws Exception {
    page = browser().page(); // Comes first, as it skips the test without a browser.
    served = new RestFixture();
  }

  /** The browser; tests are skipped where it is missing, except in the gate. */
  static Browser browser() throws Exception {
    if (!Browser.isRequired()) {
      Assumptions.assumeTrue(Browser.installed().isPresent(), Browser.MISSING);
    }
    return Browser.shared();
  }

  /** A JavaScript expression for a row of a table; undefined if the row is missing. */
  static String row(String section, String name) {
    return "[...document.querySelectorAll('#%s tbody tr')].find((row) => row.dataset.key === %s)"
        .formatted(section, BrowserPage.quoted(name));
  }

  void create(String name, String mode) throws Exception {
    String body =
        "{\"name\": %s, \"consistency\": \"%s\", \"sites\": [\"lyon\", \"oslo\", \"rome\"]}"
            .formatted(BrowserPage.quoted(name), mode);
    assertThat(served.json("POST", "/caches", body).statusCode()).isEqualTo(201);
  }

  void put(String cache, String key) throws Exception {
    HttpResponse<byte[]> answer =
        served.call("PUT", "/caches/" + cache + "/entries/" + key, "v".getBytes());
    assertThat(answer.statusCode()).isEqualTo(204);
  }

  void live() {
    page.open(served.service.address());
    page.until(
        "the page is live", "document.querySelector('#stream-state').innerText.trim() === 'live'");
  }

  @Override
  public void close() throws Exception {
    try (RestFixture federation = served;
        BrowserPage open = page) {
      assertThat(open.errors).as("errors in the page").isEmpty();
    }
  }
}
