package io.ensemble.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ValueFormatterTest {

  @Test
  void aLineHasNoControlCharacters() {
    assertThat(ValueFormatter.line("a\nposition AAA\r\u001b[2J\u0085é界"))
        .isEqualTo("a\\nposition AAA\\u000d\\u001b[2J\\u0085é界");
    assertThat(ValueFormatter.line(new byte[] {10, 1})).isEqualTo("0a01");
  }
}
