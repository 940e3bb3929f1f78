package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.Precondition;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.resource.context.IdempotencyKey;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions of RFC 9110, section 13: If-Match compares strongly, If-None-Match weakly. */
class PreconditionTest {

  private static Precondition of(String... headers) {
    Map<String, List<String>> all = new HashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i].toLowerCase(Locale.ROOT), List.of(headers[i + 1]));
    }
    return Precondition.of(
        new RequestHead("PUT", "/", Map.of(), Map.of(), all, false, "", List.of()));
  }

  private static boolean holds(Precondition wanted, @Nullable String etag) {
    try {
      wanted.check(etag);
      return true;
    } catch (ProblemException refused) {
      assertThat(refused.problem().type()).isEqualTo(ProblemType.PRECONDITION_FAILED);
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "If-Match, *, true, true, false",
    "If-Match, '\"a\"', true, false, false",
    "If-Match, '\"x\", \"a\"', true, false, false",
    "If-Match, 'W/\"a\"', false, false, false",
    "If-Match, 'W/\"a\", \"b\"', false, true, false",
    "If-Match, '\"A\"', false, false, false",
    "If-None-Match, *, false, false, true",
    "If-None-Match, '\"a\"', false, true, true",
    "If-None-Match, 'W/\"a\"', false, true, true",
    "If-None-Match, '\"x\",\"b\"', true, false, true",
  })
  void aHeaderHoldsForWhatItNames(
      String header, String value, boolean ofA, boolean ofB, boolean ofNothing) {
    Precondition wanted = of(header, value);

    assertThat(holds(wanted, "\"a\"")).isEqualTo(ofA);
    assertThat(holds(wanted, "\"b\"")).isEqualTo(ofB);
    assertThat(holds(wanted, null)).isEqualTo(ofNothing);
    assertThat(wanted.isEmpty()).isFalse();
    assertThat(wanted.isNotModified("\"a\"")).isEqualTo(header.equals("If-None-Match") && !ofA);
  }

  @Test
  void bothHaveToHold() {
    Precondition both = of("If-Match", "\"a\"", "If-None-Match", "\"b\"");
    Precondition never = of("If-Match", "\"a\"", "If-None-Match", "\"a\"");

    assertThat(holds(both, "\"a\"")).isTrue();
    assertThat(holds(both, "\"b\"")).isFalse();
    assertThat(holds(both, null)).isFalse();
    assertThat(holds(never, "\"a\"")).isFalse();
    assertThat(holds(of(), null)).isTrue();
    assertThat(of().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "\"a", "\"a\" \"b\"", "\"a\",", "w/\"a\"", "*, \"a\"", "\"a\u0001\""})
  void whatIsNoTagIsRefusedAndNotPassedOver(String value) {
    for (String header : List.of("If-Match", "If-None-Match")) {
      assertThatThrownBy(() -> of(header, value))
          .isInstanceOfSatisfying(
              ProblemException.class,
              refused -> assertThat(refused.problem().type()).isEqualTo(ProblemType.INVALID_FIELD));
    }
  }

  @Test
  void tagsAreBounded() {
    String most = "\"a\"" + ",\"a\"".repeat(63);

    assertThat(holds(of("If-Match", most), "\"a\"")).isTrue();
    assertThatThrownBy(() -> of("If-Match", most + ",\"a\"")).isInstanceOf(ProblemException.class);
  }

  /** Otherwise a client would keep a page of which only the bytes are equal. */
  @Test
  void aTagIsOfTheTypeAndTheBytes() {
    String tag = Representation.of("text/plain", new byte[] {'a'}).etag();

    assertThat(tag).matches("\"[0-9a-f]{32}\"");
    assertThat(Representation.of("text/plain", new byte[] {'a'}).etag()).isEqualTo(tag);
    assertThat(Representation.of("text/html", new byte[] {'a'}).etag()).isNotEqualTo(tag);
    assertThat(Representation.of("text/plain", new byte[] {'b'}).etag()).isNotEqualTo(tag);
    assertThat(Representation.of("text/plai", new byte[] {'n', 'a'}).etag()).isNotEqualTo(tag);
  }

  @Test
  void aNameOfTwoTextsIsOfNoOtherTwo() {
    assertThat(IdempotencyKey.name("ab", "c")).isEqualTo(IdempotencyKey.name("ab", "c"));
    assertThat(IdempotencyKey.name("a", "bc")).isNotEqualTo(IdempotencyKey.name("ab", "c"));
    assertThat(IdempotencyKey.name("", "abc")).isNotEqualTo(IdempotencyKey.name("abc", ""));
  }
}
