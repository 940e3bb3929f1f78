package io.ensemble.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private final StringWriter text = new StringWriter();

  @Test
  void elsewhereEachStepIsALine() {
    try (ProgressLine progress = new ProgressLine(new PrintWriter(text), "starting", false)) {
      progress.show("lyon");
      progress.show("oslo");
    }

    assertThat(text.toString().lines()).containsExactly("starting: lyon", "starting: oslo");
  }

  @Test
  void aMovingLineIsErasedAtTheEnd() {
    ProgressLine progress = new ProgressLine(new PrintWriter(text), "starting", true);
    progress.show("x".repeat(500));
    progress.close();
    progress.close();
    progress.show("too late");

    assertThat(text.toString())
        .startsWith("\r\u001b[Kstarting: x")
        .endsWith("…\r\u001b[K")
        .doesNotContain("\n", "late")
        .hasSizeLessThan(100);
  }

  @Test
  void aBarHasTenParts() {
    assertThat(ProgressLine.bar(0, 200)).isEqualTo("[..........] 0 %");
    assertThat(ProgressLine.bar(83, 200)).isEqualTo("[####......] 41 %");
    assertThat(ProgressLine.bar(300, 200)).isEqualTo("[##########] 100 %");
  }
}
