package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModeTest {

  private static final Path SOURCES = Path.of("src/main/java/io/ensemble");

  @Test
  void theReadmeHoldsTheTableOfTheCode() throws IOException {
    String readme = Files.readString(Path.of("../README.md"));

    String table =
        readme.substring(
            readme.indexOf("<!-- modes -->\n") + "<!-- modes -->\n".length(),
            readme.indexOf("<!-- /modes -->"));

    assertThat(table).isEqualTo(Mode.guaranteeTable());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void theJavadocSaysWhatTheCodeSays(Mode mode) throws IOException {
    for (String file : new String[] {"Mode.java", "package-info.java"}) {
      String text = prose(Files.readString(SOURCES.resolve(file)));
      assertThat(text).as(file).contains(mode + ": " + mode.guarantee() + ".");
      assertThat(text).as(file).contains(Mode.NOT_ATOMIC);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void everyModeSaysEverything(Mode mode) {
    assertThat(Mode.guaranteeTable().lines().filter(line -> line.startsWith("| " + mode)))
        .singleElement()
        .asString()
        .contains(mode.read(), mode.write(), mode.survives(), mode.guarantee(), mode.roundTrips())
        .contains(mode.changes());
  }

  /** A Javadoc comment as running text, code in backticks. */
  private static String prose(String source) {
    String comment = source.substring(source.indexOf("/**"), source.indexOf("*/"));
    return comment
        .replaceAll("\\n \\*", " ")
        .replaceAll("\\{@link #?([\\w.]+)}", "$1")
        .replaceAll("\\{@code ([^}]+)}", "`$1`")
        .replaceAll("\\s+", " ");
  }
}
