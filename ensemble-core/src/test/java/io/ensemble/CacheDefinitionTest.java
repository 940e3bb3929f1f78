package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CacheDefinitionTest {

  private static CacheDefinition.Builder mwmr(String name) {
    return CacheDefinition.of(name, Mode.MWMR).sites("a", "b", "c");
  }

  @Test
  void defaultsAreThoseOfTheJavadoc() {
    CacheDefinition weak = CacheDefinition.of("w", Mode.WEAK).sites("a").build();

    assertThat(weak.deadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(weak.maxValueBytes()).isEqualTo(1 << 20);
    assertThat(weak.acknowledgement()).isEqualTo(Acknowledgement.LOCAL);
    assertThat(weak.tombstoneGrace()).isEqualTo(Duration.ofMinutes(10));
    assertThat(mwmr("m").build().acknowledgement()).isEqualTo(Acknowledgement.MAJORITY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "\t", "a\nb", "a\0", "a\u0085b", "a\u2028b", "\ud800", "x\udc00y"})
  void absurdNamesAreRefused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr(name).build())
        .withMessageContaining("cache name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CacheDefinition.of("c", Mode.WEAK).sites("ok", name).build())
        .withMessageContaining("site name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a b", "..", "/", "ä", "🂡", "a%b", "CON", "___x", "'; drop"})
  void oddNamesAreNames(String name) {
    assertThatCode(() -> mwmr(name).build()).doesNotThrowAnyException();
  }

  @Test
  void aNameHasAtMost128Bytes() {
    assertThatCode(() -> mwmr("ä".repeat(64)).build()).doesNotThrowAnyException();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("ä".repeat(64) + "b").build())
        .withMessageContaining("at most 128 bytes of UTF-8; bytes=129");
  }

  @Test
  void sitesAreNamedOnceAndAtLeastOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("c").sites().build())
        .withMessageContaining("at least one site");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("c").sites("a", "b", "a").build())
        .withMessageContaining("must be unique");
  }

  @Test
  void aDeadlineIsPositiveAndAtMostAMinute() {
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(61))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> mwmr("c").deadline(wrong).build())
          .withMessageContaining("deadline=" + wrong);
    }
    assertThat(mwmr("c").deadline(Duration.ofSeconds(60)).build().deadline()).isNotNull();
  }

  @Test
  void limitsAreWithinReason() {
    assertThatIllegalArgumentException().isThrownBy(() -> mwmr("c").maxValueBytes(0).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("c").maxValueBytes(Integer.MAX_VALUE).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("c").tombstoneGrace(Duration.ofMillis(-1)).build());
  }

  @Test
  void onlyWeakCachesAcknowledgeLessThanAMajority() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("c").acknowledgement(Acknowledgement.LOCAL).build())
        .withMessageContaining("LOCAL requires mode WEAK");
  }

  @Test
  void thePrimaryAloneAcknowledgesInSwmrOnlyAndOnlyThenThereIsAWindow() {
    CopyWindow window = new CopyWindow(7, Duration.ofSeconds(1));
    CacheDefinition.Builder swmr = CacheDefinition.of("s", Mode.SWMR).sites("a", "b", "c");

    assertThat(swmr.build().acknowledgement()).isEqualTo(Acknowledgement.MAJORITY);
    assertThatIllegalArgumentException().isThrownBy(() -> swmr.window(window).build());
    assertThat(swmr.acknowledgement(Acknowledgement.PRIMARY).build().window()).isEqualTo(window);
    for (Mode mode : List.of(Mode.WEAK, Mode.MWMR)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  CacheDefinition.of("c", mode)
                      .sites("a")
                      .acknowledgement(Acknowledgement.PRIMARY)
                      .build())
          .withMessageContaining("PRIMARY requires SWMR");
    }
  }

  @Test
  void aWindowIsWithinReason() {
    Duration second = Duration.ofSeconds(1);
    for (int writes : new int[] {0, -1, CopyWindow.MOST_WRITES + 1}) {
      assertThatIllegalArgumentException().isThrownBy(() -> new CopyWindow(writes, second));
    }
    for (Duration age : List.of(Duration.ZERO, second.negated(), Duration.ofHours(2))) {
      assertThatIllegalArgumentException().isThrownBy(() -> new CopyWindow(1, age));
    }
  }

  @Test
  void aMajorityIsMoreThanHalf() {
    assertThat(mwmr("c").sites("a").build().majority()).isEqualTo(1);
    assertThat(mwmr("c").sites("a", "b").build().majority()).isEqualTo(2);
    assertThat(mwmr("c").build().majority()).isEqualTo(2);
    assertThat(mwmr("c").sites("a", "b", "c", "d").build().majority()).isEqualTo(3);
  }

  @Test
  void differencesNameTheSettings() {
    CacheDefinition other = mwmr("c").maxValueBytes(7).sites("b", "a", "c").build();

    assertThat(mwmr("c").build().differences(other))
        .containsExactly("sites: [a, b, c], [b, a, c]", "maxValueBytes: 1048576, 7");
    assertThat(other.differences(other)).isEmpty();
  }

  @Test
  void onlyWeakCachesKeepSiblingsAndNotMoreThanAnEntryHolds() {
    CacheDefinition.Builder weak = CacheDefinition.of("w", Mode.WEAK).sites("a");

    assertThat(weak.build().keepsSiblings()).isFalse();
    assertThat(weak.siblings(16).build().keepsSiblings()).isTrue();
    assertThat(weak.siblings(16).build().guarantee()).contains("16 at most");
    assertThat(weak.siblings(1).build().guarantee()).isEqualTo(Mode.WEAK.guarantee());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mwmr("m").siblings(2).build())
        .withMessageContaining("cache=m mode=MWMR siblings=2");
    assertThatIllegalArgumentException().isThrownBy(() -> weak.siblings(0).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> weak.siblings(65).build())
        .withMessageContaining("siblings=65 maxValueBytes=1048576");
  }

  @Test
  void anotherNumberOfSiblingsIsADifference() {
    CacheDefinition one = CacheDefinition.of("w", Mode.WEAK).sites("a").build();
    CacheDefinition other = CacheDefinition.of("w", Mode.WEAK).sites("a").siblings(4).build();

    assertThat(one.differences(other)).containsExactly("siblings: 1, 4");
    assertThat(other.at(List.of("b")).siblings()).isEqualTo(4);
  }
}
