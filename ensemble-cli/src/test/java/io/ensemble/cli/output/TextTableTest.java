package io.ensemble.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TextTableTest {

  private static String printed(TextTable table, boolean colours) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    table.print(out, colours);
    out.flush();
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  @Test
  void numbersStandToTheRightAndWordsToTheLeft() {
    TextTable table = new TextTable("site", "ping", "why");
    table.row("lyon", "0.40 ms", "").row("x", null, "cut");

    assertThat(printed(table, false))
        .isEqualTo(
            """
            SITE     PING  WHY
            lyon  0.40 ms
            x           -  cut
            """);
  }

  @Test
  void coloursChangeNoWidth() {
    TextTable table = new TextTable("step", "verdict", "n");
    table.row("a", "ok", 1).row("b", "FAILED", 2);

    String coloured = printed(table, true);

    assertThat(coloured).contains("\u001b[");
    assertThat(coloured.replaceAll("\u001b\\[[\\d;]*m", "")).isEqualTo(printed(table, false));
  }

  @Test
  void aRowOfAnotherLengthIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new TextTable("a", "b").row(1));
  }
}
