package io.ensemble.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {

  private final DurationConverter converter = new DurationConverter();

  @ParameterizedTest
  @CsvSource({"500ms, PT0.5S", "10s, PT10S", "5m, PT5M", "2h, PT2H", "1d, PT24H", "0s, PT0S"})
  void aNumberAndItsUnit(String text, Duration duration) {
    assertThat(converter.convert(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "s", "-1s", "1.5s", "10 s", "1w", "PT5S", "9999999999999s"})
  void anythingElseIsRefusedWithTheForm(String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("500ms")
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void theLongestStillFits() {
    assertThat(converter.convert("999999999999d")).isPositive();
  }
}
