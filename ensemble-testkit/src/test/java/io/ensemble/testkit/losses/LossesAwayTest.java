package io.ensemble.testkit.losses;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept in the end may have been away until that is told. */
class LossesAwayTest extends LossesFixture {

  /** A reader of a new epoch who finds nothing leaves nothing; a later one may find the write. */
  @Test
  void whatIsReportedAsKeptMayBeAwayUntilThen() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, first, second);
    tell(Fate.KEPT, second);
    read(null, 120);
    read(2L, 130);

    assertThat(isAllowed()).isTrue();

    read(2L, 210);
    assertThat(isAllowed()).isTrue();
    read(null, 220);

    assertThat(isAllowed()).as("after the report").isFalse();
  }

  /** Who reads an earlier value in a new epoch has had it recovered there, in the write's place. */
  @Test
  void whatIsReportedAsKeptWasNotAwayForAnEarlierValue() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, first, second);
    tell(Fate.KEPT, second);
    read(1L, 120);
    read(2L, 130);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void asManyKeysMayBeAwayAsHaveWritesInDoubt() {
    List<Stamp> all = new ArrayList<>();
    for (int key = 0; key < 300; key++) {
      all.add(wrote("k" + key, 1 + key, 10));
    }
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, all.toArray(Stamp[]::new));
    tell(Fate.KEPT, all.toArray(Stamp[]::new));
    for (int key = 0; key < 300; key++) {
      read("k" + key, null, 120);
      read("k" + key, 1L + key, 130);
    }

    assertThat(isAllowed()).isTrue();

    read("k7", null, 220);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void whatIsNotInDoubtIsNotAwayThoughALaterWriteIs() {
    wrote(1, 10);
    wrote(2, 20);
    Stamp third = wrote(3, 30);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, third);
    tell(Fate.KEPT, third);
    read(1L, 120);
    read(3L, 130);

    assertThat(isAllowed()).isFalse();
  }
}
