package io.ensemble.check.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockFindingsTest {

  private static final long NOW = Instant.parse("2026-11-27T16:34:45Z").toEpochMilli();

  private static ClockReading at(String node, long aheadMillis) {
    return ClockReading.of(node, NOW + aheadMillis, Duration.ofSeconds(1), NOW, NOW + 20);
  }

  @Test
  void clocksThatMayBeEqualAgree() {
    assertThat(ClockFindings.ofNodes(List.of(at("a", 0), at("b", -900))))
        .hasSize(2)
        .allSatisfy(found -> assertThat(found.severity()).isEqualTo(FindingSeverity.OK));
  }

  @Test
  void aNodeThatIsAheadOrBehindIsAWarningWithTheDirection() {
    List<Finding> found = ClockFindings.ofNodes(List.of(at("a", 90_000), at("b", -30_000)));

    assertThat(found)
        .extracting(Finding::severity, Finding::subject)
        .contains(tuple(FindingSeverity.WARNING, "a"), tuple(FindingSeverity.WARNING, "b"));
    assertThat(found.get(0).seen()).isEqualTo("90.0 s ahead of the clock of this process");
    assertThat(found.get(1).seen()).isEqualTo("29.0 s behind the clock of this process");
  }

  @Test
  void nodesThatDifferAmongThemselvesAreNamed() {
    List<Finding> found = ClockFindings.ofNodes(List.of(at("a", 4_000), at("b", -4_000)));

    assertThat(found).hasSize(3);
    assertThat(found.get(2).seen()).contains("ahead of the clock of b");
    assertThat(found.get(2).severity()).isEqualTo(FindingSeverity.WARNING);
  }

  @Test
  void aWriterBeyondTheMaximumClockSkewIsAnError() {
    assertThat(ClockFindings.ofProcess(at("maintainer", 70_000)).severity())
        .isEqualTo(FindingSeverity.ERROR);
    assertThat(ClockFindings.ofProcess(at("maintainer", 7_000)).severity())
        .isEqualTo(FindingSeverity.WARNING);
    assertThat(ClockFindings.ofProcess(at("maintainer", 1_000)).severity())
        .isEqualTo(FindingSeverity.OK);
  }

  @Test
  void aClockThatCannotBeReadIsNotCalledRight() {
    assertThat(ClockFindings.unknown("a", "REST answers with status 403").severity())
        .isEqualTo(FindingSeverity.NOT_CHECKED);
  }

  @Test
  void aClockIsReadFromADateAndFromAThreadDump() {
    assertThat(NodeClock.inDate("a", "Fri, 27 Nov 2026 16:34:45 GMT", NOW, NOW))
        .hasValueSatisfying(clock -> assertThat(clock.certain()).isZero());
    assertThat(
            NodeClock.inThreadDump(
                "a", "2026-11-27 18:34:50\nFull thread dump", "Africa/Cairo", NOW, NOW))
        .hasValueSatisfying(clock -> assertThat(clock.certain()).hasSeconds(5));
    assertThat(NodeClock.inDate("a", null, NOW, NOW)).isEmpty();
    assertThat(NodeClock.inDate("a", "yesterday", NOW, NOW)).isEmpty();
    assertThat(NodeClock.inThreadDump("a", "Full thread dump", "UTC", NOW, NOW)).isEmpty();
    assertThat(NodeClock.inThreadDump("a", "2026-11-27 16:34:45", "Nowhere/X", NOW, NOW)).isEmpty();
  }

  @Test
  void aSlowAnswerWidensTheReadingInsteadOfShiftingIt() {
    ClockReading slow = ClockReading.of("a", NOW + 3_000, Duration.ofSeconds(1), NOW, NOW + 3_000);

    assertThat(slow.certain()).isZero();
    assertThat(slow.most()).hasSeconds(4);
  }
}
