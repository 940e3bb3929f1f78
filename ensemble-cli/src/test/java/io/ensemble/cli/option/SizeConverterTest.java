package io.ensemble.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {

  private final SizeConverter converter = new SizeConverter();

  @Test
  void numbersHaveAUnit() {
    assertThat(converter.convert("0")).isZero();
    assertThat(converter.convert("256MB")).isEqualTo(268_435_456L);
    assertThat(converter.convert("3GB")).isEqualTo(3L << 30);
    assertThat(converter.convert("999999GB")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "-1MB", "1mb", "1 MB", "1.5GB", "1000000MB", "MB"})
  void allElseIsRefused(String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("256MB");
  }
}
