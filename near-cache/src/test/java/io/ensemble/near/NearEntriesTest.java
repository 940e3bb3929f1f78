package io.ensemble.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.near.NearEntries.KeyCall;
import io.ensemble.near.NearEntries.SharedRead;
import io.ensemble.site.Bytes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The rules by which results become entries, and entries are returned. */
class NearEntriesTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final Payload OLD = value(1);
  private static final Payload NEW = value(2);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final NearEntries entries = new NearEntries(NearCacheSettings.lazy(2, 10_000, SECOND));

  private static Payload value(int number) {
    return new Payload(Bytes.of((byte) number), 0);
  }

  /** A moment at which both clocks are {@code millis} after their beginning. */
  private static NearTime at(long millis) {
    return new NearTime(Long.MAX_VALUE - 5 + millis * 1_000_000, millis * 1_000);
  }

  private KeyCall read(long millis) {
    return entries.begin(KEY, new SharedRead(at(millis), Long.MAX_VALUE));
  }

  private KeyCall write(long millis) {
    return entries.beginWrite(KEY, at(millis));
  }

  private Payload found(long millis) {
    NearEntry entry = entries.find(KEY, at(millis));
    return entry == null ? null : entry.value();
  }

  @Test
  void aResultIsReturnedUntilItIsTooOldSinceItsReadBegan() {
    KeyCall slow = read(0);
    assertThat(entries.end(slow, OLD)).isTrue();
    assertThat(found(1_000)).isEqualTo(OLD);
    assertThat(found(1_001)).isNull();
    assertThat(entries.statistics().staleRefusals()).isOne();
    assertThat(entries.statistics().hits()).isOne();
    assertThat(entries.statistics().misses()).isOne();
  }

  @Test
  void eitherClockMayEndAnEntry() {
    entries.end(read(0), OLD);
    NearTime start = at(0);
    NearTime suspended = new NearTime(start.nanos() + 1, start.micros() + 1_000_001);
    NearTime setBack = new NearTime(start.nanos() + 1_000_000_001, start.micros() - 5_000_000);
    NearTime setBackNow = new NearTime(start.nanos() + 1, start.micros() - 5_000_000);
    assertThat(entries.find(KEY, suspended)).isNull();
    assertThat(entries.find(KEY, setBack)).isNull();
    assertThat(entries.find(KEY, setBackNow)).isNotNull();
  }

  @Test
  void absenceIsHeldToo() {
    entries.end(read(0), null);
    NearEntry entry = entries.find(KEY, at(1));
    assertThat(entry).isNotNull();
    assertThat(entry.value()).isNull();
  }

  @Test
  void aWriteLeavesItsValue() {
    entries.end(read(0), OLD);
    KeyCall write = write(1);
    assertThat(found(2)).as("while it is written").isNull();
    entries.end(write, NEW);
    assertThat(found(3)).isEqualTo(NEW);
    assertThat(found(1_002)).as("too old since the write began").isNull();
  }

  @Test
  void aWriteWithoutAKnownResultLeavesNothing() {
    entries.end(read(0), OLD);
    entries.endWithout(write(1));
    assertThat(found(2)).isNull();
  }

  @Test
  void aReadBesideAWriteLeavesNothing() {
    KeyCall read = read(0);
    KeyCall write = write(1);
    assertThat(entries.end(write, NEW)).isTrue();
    assertThat(entries.end(read, OLD)).isFalse();
    assertThat(found(2)).as("OLD may be the newer one").isNull();
    assertThat(entries.end(read(3), NEW)).as("alone again").isTrue();
  }

  @Test
  void aReadThatBeginsDuringAWriteLeavesNothing() {
    KeyCall write = write(0);
    KeyCall read = read(1);
    entries.end(write, NEW);
    assertThat(entries.end(read, OLD)).isFalse();
    assertThat(found(2)).isNull();
  }

  @Test
  void aReadBesideAWriteMayReturnTheSame() {
    KeyCall read = read(0);
    entries.end(write(1), NEW);
    entries.end(read, NEW);
    assertThat(found(2)).isEqualTo(NEW);
  }

  @Test
  void aWriteDuringWhichAReadReturnedAnotherValueLeavesNothing() {
    KeyCall write = write(0);
    entries.end(read(1), OLD);
    assertThat(entries.end(write, NEW)).isFalse();
    assertThat(found(2)).isNull();
  }

  @Test
  void twoWritesAtOnceLeaveNothing() {
    KeyCall first = write(0);
    KeyCall second = write(1);
    entries.end(second, NEW);
    assertThat(entries.end(first, OLD)).isFalse();
    assertThat(found(2)).isNull();
  }

  @Test
  void readsAfterAWriteAreSharedWhileAnEarlierReadIsInProgress() {
    KeyCall slow = read(0);
    entries.end(write(1), NEW);
    entries.drop(KEY);
    SharedRead read = new SharedRead(at(2), 500);
    KeyCall call = entries.begin(KEY, read);
    assertThat(entries.join(KEY, at(3), 500)).isSameAs(read);
    assertThat(entries.end(call, NEW)).isTrue();
    assertThat(found(4)).isEqualTo(NEW);
    entries.end(slow, OLD);
    assertThat(found(4)).isNull();
  }

  /** The first one may return a newer value than the second one. */
  @Test
  void twoReadsThatDifferLeaveNothing() {
    entries.end(read(0), OLD);
    KeyCall first = read(1);
    KeyCall second = read(1);
    entries.end(first, NEW);
    assertThat(found(2)).isEqualTo(NEW);
    assertThat(entries.end(second, OLD)).isFalse();
    assertThat(found(2)).isNull();
  }

  @Test
  void aReadIsJoinedWhileItIsYoungAndEndsInTime() {
    SharedRead read = new SharedRead(at(0), 500);
    KeyCall call = entries.begin(KEY, read);
    assertThat(entries.join(KEY, at(1_000), 500)).isSameAs(read);
    assertThat(entries.join(KEY, at(1_001), 500)).as("too old").isNull();
    assertThat(entries.join(KEY, at(1_000), 500 - 10_000_001)).as("ends later").isNull();
    entries.end(call, OLD);
    assertThat(entries.join(KEY, at(1_000), 500)).as("has ended").isNull();
  }

  @Test
  void aReadIsNotJoinedAfterAWrite() {
    SharedRead read = new SharedRead(at(0), 500);
    entries.begin(KEY, read);
    KeyCall write = write(1);
    assertThat(entries.join(KEY, at(2), 500)).isNull();
    entries.end(write, NEW);
    assertThat(entries.join(KEY, at(3), 500)).isNull();
  }

  @Test
  void aReportOfAnotherValueDropsAnEntry() {
    entries.end(read(0), OLD);
    assertThat(entries.contradicts(KEY, OLD)).isFalse();
    entries.drop(KEY, OLD);
    assertThat(found(1)).isEqualTo(OLD);
    assertThat(entries.contradicts(KEY, null)).isTrue();
    entries.drop(KEY, null);
    assertThat(found(1)).isNull();
    assertThat(entries.statistics().invalidations()).isOne();
  }

  @Test
  void aReportDuringACallPreventsAnotherResult() {
    KeyCall read = read(0);
    assertThat(entries.concerns(KEY)).isTrue();
    entries.contradicts(KEY, NEW);
    assertThat(entries.end(read, OLD)).isFalse();
    KeyCall again = read(1);
    entries.contradicts(KEY, NEW);
    entries.contradicts(KEY, NEW);
    assertThat(entries.end(again, NEW)).as("of each replica").isTrue();
    KeyCall write = write(2);
    entries.contradicts(KEY, NEW);
    entries.contradicts(KEY, OLD);
    assertThat(entries.end(write, NEW)).as("in any order").isFalse();
    assertThat(entries.concerns(KEY)).isFalse();
  }

  @Test
  void clearingPreventsResultsOfCallsInProgress() {
    entries.end(read(0), OLD);
    KeyCall read = read(1);
    entries.clear();
    assertThat(found(2)).isNull();
    assertThat(entries.join(KEY, at(2), Long.MAX_VALUE)).isNull();
    assertThat(entries.end(read, OLD)).isFalse();
  }

  @Test
  void aClosedOneHoldsNothing() {
    KeyCall read = read(0);
    entries.close();
    assertThat(entries.end(read, OLD)).isFalse();
    assertThat(found(1)).isNull();
  }

  @Test
  void entriesAndBytesAreBounded() {
    for (int i = 0; i < 100; i++) {
      Bytes key = Bytes.of((byte) i);
      entries.end(entries.begin(key, new SharedRead(at(0), Long.MAX_VALUE)), OLD);
    }
    assertThat(entries.statistics().entries()).isLessThanOrEqualTo(2);
    assertThat(entries.statistics().evictions()).isGreaterThanOrEqualTo(98);

    NearEntries small = new NearEntries(NearCacheSettings.lazy(1_000, 10_000, SECOND));
    for (int i = 0; i < 100; i++) {
      Bytes key = Bytes.of((byte) i);
      KeyCall read = small.begin(key, new SharedRead(at(0), Long.MAX_VALUE));
      small.end(read, new Payload(Bytes.of(new byte[1_000]), 0));
    }
    assertThat(small.statistics().bytes()).isBetween(1_000L, 10_000L);
    assertThat(small.statistics().entries()).isBetween(1L, 9L);
  }
}
