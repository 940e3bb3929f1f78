package io.ensemble.testkit.truth;

import static io.ensemble.testkit.truth.CasChain.Answer.ACKNOWLEDGED;
import static io.ensemble.testkit.truth.CasChain.Answer.REFUSED;
import static io.ensemble.testkit.truth.CasChain.Answer.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CasChainTest {

  private static final ChainValue FIRST = new ChainValue(1, 0, 0);
  private static final ChainValue SECOND = FIRST.after(2);
  private static final ChainValue THIRD = SECOND.after(3);

  private final CasChain chain = new CasChain(FIRST);

  @Test
  void aChainInWhichEachNamesTheOneBeforeIsWhole() {
    chain.saw(FIRST, "one", 0, 1);
    chain.attempted(SECOND, 0, "one", 2, 4, ACKNOWLEDGED);
    chain.saw(FIRST, "one", 3, 6); // It began before the second was acknowledged.
    chain.saw(SECOND, "one", 3, 6);
    chain.attempted(THIRD, 0, "one", 7, 9, UNKNOWN);
    chain.attempted(SECOND.after(4), 0, "one", 7, 9, REFUSED);
    chain.saw(THIRD, "one", 10, 11);

    ChainAnomalies breaks = chain.judged(THIRD);

    assertThat(breaks.any()).as(breaks.kinds()).isFalse();
    assertThat(breaks.acknowledged()).isEqualTo(1);
    assertThat(breaks.reads()).isEqualTo(4);
  }

  @Test
  void anUnknownOneMayBeMissing() {
    chain.attempted(SECOND, 0, "one", 0, 1, UNKNOWN);
    assertThat(chain.judged(FIRST).any()).isFalse();
  }

  @Test
  void twoThatWonOnOnePredecessorAreFoundAndOneIsLost() {
    chain.attempted(SECOND, 0, "one", 0, 1, ACKNOWLEDGED);
    chain.attempted(FIRST.after(7), 0, "one", 0, 1, ACKNOWLEDGED);

    ChainAnomalies breaks = chain.judged(SECOND);

    assertThat(breaks.twoWinners()).isEqualTo(1);
    assertThat(breaks.lost()).isEqualTo(1);
  }

  @Test
  void anAcknowledgedOneThatIsGoneIsFound() {
    chain.attempted(SECOND, 0, "one", 0, 1, ACKNOWLEDGED);
    chain.attempted(THIRD, 0, "one", 2, 3, ACKNOWLEDGED);
    assertThat(chain.judged(SECOND).lost()).isEqualTo(1);
    assertThat(chain.judged(null).lost()).isEqualTo(2);
  }

  @Test
  void aReadOfWhatIsUndoneLaterIsFound() {
    chain.attempted(SECOND, 0, "one", 0, 1, UNKNOWN);
    chain.saw(SECOND, "one", 2, 3);
    assertThat(chain.judged(FIRST).undone()).isEqualTo(1);
  }

  @Test
  void aReadThatGoesBackIsFound() {
    chain.attempted(SECOND, 0, "one", 0, 1, UNKNOWN);
    chain.saw(SECOND, "one", 2, 3);
    chain.saw(FIRST, "one", 4, 5);
    chain.saw(null, "one", 6, 7);
    chain.saw(SECOND, "one", 8, 9);
    assertThat(chain.judged(SECOND).wentBack()).isEqualTo(2);
  }

  @Test
  void aReadThatBeginsAfterAWinnerIsToldGoesBackIfItMissesIt() {
    chain.attempted(SECOND, 0, "one", 0, 1, ACKNOWLEDGED);
    chain.saw(FIRST, "one", 2, 3);
    assertThat(chain.judged(SECOND).wentBack()).isEqualTo(1);
  }

  @Test
  void aRefusedOneThatIsThereIsToldAndIsNoBreak() {
    chain.attempted(SECOND, 0, "one", 0, 1, REFUSED);
    ChainAnomalies breaks = chain.judged(SECOND);
    assertThat(breaks.denied()).isEqualTo(1);
    assertThat(breaks.any()).isFalse();
  }
}
