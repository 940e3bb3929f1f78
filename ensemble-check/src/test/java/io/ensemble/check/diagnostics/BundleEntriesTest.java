package io.ensemble.check.diagnostics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BundleEntriesTest {

  private final BundleEntries bundle =
      new BundleEntries(new SecretFilter(List.of("geheim")), 10, 25);

  private String text(String entry) {
    return new String(bundle.entries().get(entry), UTF_8);
  }

  @Test
  void anEntryIsCleanedAndKeepsItsEndWhenItIsTooLarge() {
    bundle.add("b", "geheim");
    bundle.add("a", "0123456789abc");

    assertThat(bundle.entries().keySet()).containsExactly("a", "b");
    assertThat(text("a")).isEqualTo("3456789abc");
    assertThat(text("b")).isEqualTo("[removed]");
    assertThat(bundle.notes()).containsExactly("a: only the last 10 of 13 bytes");
  }

  @Test
  void theWholeIsBoundedAndSaysWhatIsMissing() {
    bundle.add("a", "0123456789");
    bundle.add("b", "0123456789");
    bundle.add("c", "0123456789");
    bundle.add("d", "01234");
    bundle.addNote("e: geheim is gone");

    assertThat(bundle.entries()).containsOnlyKeys("a", "b", "d");
    assertThat(bundle.notes())
        .containsExactly("c: left out, because the bundle is full", "e: [removed] is gone");
  }

  @Test
  void anEntryOfTheSameNameIsReplaced() {
    bundle.add("a", "0123456789");
    bundle.add("a", "x");
    bundle.add("b", "0123456789");
    bundle.add("c", "0123456789");

    assertThat(text("a")).isEqualTo("x");
    assertThat(bundle.entries()).hasSize(3);
  }

  @Test
  void aNameOfACacheIsNoPath() {
    assertThat(BundleEntries.safeName("../../etc/pass wd"))
        .isEqualTo("%2e.%2f..%2fetc%2fpass%20wd");
    assertThat(BundleEntries.safeName("orders-1.b_C")).isEqualTo("orders-1.b_C");
    assertThat(BundleEntries.safeName("é")).isEqualTo("%c3%a9");
  }
}
