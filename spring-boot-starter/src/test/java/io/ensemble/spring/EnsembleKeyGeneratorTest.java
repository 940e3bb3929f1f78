package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.Mode;
import io.ensemble.codec.Codec;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EnsembleKeyGeneratorTest {

  private final EnsembleKeyGenerator generator = new EnsembleKeyGenerator();

  private Object key(Object... params) {
    return generator.generate(this, EnsembleKeyGeneratorTest.class.getDeclaredMethods()[0], params);
  }

  @Test
  void theKeyOfOneParameterIsTheParameter() {
    assertThat(key("a")).isEqualTo("a");
    assertThat(key(7L)).isEqualTo(7L);
  }

  @Test
  void differentParametersHaveDifferentKeysThatCanBeEncoded() {
    List<Object[]> all =
        List.of(
            new Object[] {},
            new Object[] {null},
            new Object[] {"null;"},
            new Object[] {"null;", null},
            new Object[] {null, null},
            new Object[] {"a", "b,c"},
            new Object[] {"a,b", "c"},
            new Object[] {"", "ab"},
            new Object[] {"ab", ""},
            new Object[] {"a", "b", ""},
            new Object[] {"a", "b", "c"},
            new Object[] {"a", "bjava.lang.String::c"},
            new Object[] {1, 2},
            new Object[] {1L, 2},
            new Object[] {"1", 2},
            new Object[] {12, ""},
            new Object[] {'a', "b"},
            new Object[] {1.0, 2},
            new Object[] {1.0f, 2},
            new Object[] {true, 2},
            new Object[] {Mode.MWMR},
            new Object[] {Mode.WEAK},
            new Object[] {DayOfWeek.MONDAY, Mode.WEAK},
            new Object[] {LocalDate.of(2026, 1, 1)},
            new Object[] {Instant.EPOCH},
            new Object[] {Instant.EPOCH, new BigDecimal("1.0")},
            new Object[] {Instant.EPOCH, new BigDecimal("1.00")},
            new Object[] {new UUID(0, 1), "\ud800"},
            new Object[] {new UUID(0, 1), "\ud801"});
    Codec codec = new Codec(List.of());
    List<Object> encoded = new ArrayList<>();

    all.forEach(params -> encoded.add(codec.encode(key(params))));

    assertThat(new HashSet<>(encoded)).hasSize(all.size());
    assertThat(key("a", null)).isEqualTo(key("a", null));
  }

  @Test
  void anEmptyKeyIsThatOfNoParameters() {
    assertThat(key()).isEqualTo(EnsembleKeyGenerator.keyOf());
  }

  @Test
  void aParameterWithoutExactTextIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> key("a", Arrays.asList(1, 2)))
        .withMessageContaining("key expression")
        .withMessageContaining("java.util.Arrays$ArrayList");
  }
}
