package io.ensemble.rest.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON that two parsers might read differently is refused. */
class StrictJsonTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void refused(ProblemType type, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().type()).isEqualTo(type));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{\"a\": 1, \"a\": 2}",
        "{\"b\": {\"a\": 1, \"a\": 1}}",
        "{} {}",
        "{}]",
        "{\"a\": 1}x",
        "{'a': 1}",
        "{a: 1}",
        "{\"a\": 1,}",
        "{\"a\": NaN}",
        "{\"a\": 01}",
        "// no\n{}",
        "{\"a\": \"\\ud800\"}",
        "\uFEFF{}",
      })
  void whatIsNotOneJsonTextIsMalformed(String text) {
    refused(ProblemType.MALFORMED, () -> StrictJson.parse(bytes(text)));
  }

  @Test
  void depthIsBounded() {
    assertThat(StrictJson.parse(bytes("[".repeat(16) + "]".repeat(16))).isArray()).isTrue();
    refused(ProblemType.MALFORMED, () -> StrictJson.parse(bytes("[".repeat(17) + "]".repeat(17))));
  }

  @Test
  void aFieldThatNobodyAsksForIsRefusedWhereverItIs() {
    refused(ProblemType.INVALID_FIELD, () -> JsonFields.of(bytes("{\"b\": 1}"), "a"));
    JsonFields outer =
        JsonFields.of(bytes("{\"a\": {\"b\": 1, \"c\": 2}, \"d\": [{\"e\": 1}]}"), "a", "d");
    refused(ProblemType.INVALID_FIELD, () -> outer.object("a", "b"));
    refused(ProblemType.INVALID_FIELD, () -> outer.objects("d", 1, "f"));
    assertThat(outer.object("a", "b", "c")).isPresent();
  }

  @Test
  void boundsAreKeptAtBothEnds() {
    JsonFields fields =
        JsonFields.of(
            bytes("{\"n\": 5, \"t\": [\"a\", \"b\"], \"big\": 9223372036854775808}"),
            "n",
            "t",
            "big");

    assertThat(fields.integer("n", 5, 5)).hasValue(5);
    refused(ProblemType.INVALID_FIELD, () -> fields.integer("n", 6, 9));
    refused(ProblemType.INVALID_FIELD, () -> fields.integer("n", 0, 4));
    refused(ProblemType.INVALID_FIELD, () -> fields.number("big", Long.MIN_VALUE, Long.MAX_VALUE));
    assertThat(fields.texts("t", 2)).isPresent();
    refused(ProblemType.INVALID_FIELD, () -> fields.texts("t", 1));
  }
}
