package io.ensemble.repartition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.DistributedDefinition;
import io.ensemble.change.Heartbeat;
import io.ensemble.lease.ConfigurationLeaseRules;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RepartitionStateMachineTest {

  private static final long SECOND = 1_000_000_000L;
  private static final DistributedDefinition TO = DistributedDefinition.of("d", "p", "q", "r");
  private static final Repartition BEGUN = Repartition.begun(TO, "me");

  private final RepartitionRules rules = new RepartitionRules(ConfigurationLeaseRules.STANDARD);
  private final RepartitionStateMachine course =
      new RepartitionStateMachine(rules, List.of("p", "q"));

  private void mark(long now) {
    course.marked("p", now);
    course.marked("q", now);
  }

  @Test
  void allPartsAreMarkedAndOutwaitedBeforeTheRecordSaysSo() {
    assertThat(course.next(BEGUN, 0)).isEqualTo(new RepartitionAction.PutMarks(Set.of("p", "q")));
    course.marked("q", 5 * SECOND);
    assertThat(course.next(BEGUN, 9 * SECOND))
        .isEqualTo(new RepartitionAction.PutMarks(Set.of("p")));
    course.marked("p", 4 * SECOND);

    long until = 5 * SECOND + 2_200_000_000L;
    assertThat(course.next(BEGUN, until - 1))
        .isEqualTo(new RepartitionAction.AwaitLeaseExpiry(until));
    assertThat(course.next(BEGUN, until)).isEqualTo(new RepartitionAction.Begin());
  }

  @Test
  void onePartAfterTheOtherIsEmptiedAndReleased() {
    mark(0);
    Repartition moving = BEGUN.moving();

    assertThat(course.next(moving, 3 * SECOND)).isEqualTo(new RepartitionAction.Move("p"));
    course.emptied("p");
    assertThat(course.next(moving, 3 * SECOND)).isEqualTo(new RepartitionAction.Release("p"));
    assertThat(course.next(moving.moved("p"), 3 * SECOND))
        .isEqualTo(new RepartitionAction.Move("q"));
    course.emptied("q");
    assertThat(course.next(moving.moved("p").moved("q"), 3 * SECOND))
        .isEqualTo(new RepartitionAction.Finish());
  }

  @Test
  void whoTakesOverMarksAndWaitsAnewAndBelievesOnlyTheRecord() {
    Repartition other = BEGUN.moving().moved("p").takenOver("other");

    assertThat(other.turn()).isEqualTo(2);
    assertThat(course.next(other, 0)).isInstanceOf(RepartitionAction.PutMarks.class);
    mark(0);
    assertThat(course.next(other, SECOND)).isInstanceOf(RepartitionAction.AwaitLeaseExpiry.class);
    assertThat(course.next(other, 3 * SECOND)).isEqualTo(new RepartitionAction.Move("q"));
  }

  @Test
  void whateverAnOwnerDoesIsASign() {
    Repartition moving = BEGUN.moving();

    assertThat(
            List.of(
                BEGUN.sign(),
                BEGUN.beaten(1).sign(),
                moving.sign(),
                moving.moved("p").sign(),
                moving.takenOver("other").sign(),
                moving.resigned().sign()))
        .doesNotHaveDuplicates();
    assertThat(moving.beaten(1).takenOver("me").sign()).isNotEqualTo(moving.sign());
    assertThat(moving.beaten(7).beaten(9).beat()).isEqualTo(new Heartbeat(2, 9, 0));
    assertThat(moving.beaten(7).takenOver("other").beat()).isEqualTo(Heartbeat.NONE);
  }

  @Test
  void aKeyIsHeldFromTheOutwaitedMarkUntilItsFormerPartIsDone() {
    assertThat(KeyRoute.settled("p", 3)).isEqualTo(new KeyRoute("p", 3, false));
    assertThat(KeyRoute.changing("p", "p", 3, BEGUN)).isEqualTo(new KeyRoute("p", 4, false));
    assertThat(KeyRoute.changing("p", "r", 3, BEGUN)).isEqualTo(new KeyRoute("p", 3, false));
    Repartition moving = BEGUN.moving();
    assertThat(KeyRoute.changing("q", "q", 3, moving)).isEqualTo(new KeyRoute("q", 4, false));
    assertThat(KeyRoute.changing("p", "r", 3, moving).held()).isTrue();
    assertThat(KeyRoute.changing("p", "r", 3, moving.moved("q")).held()).isTrue();
    assertThat(KeyRoute.changing("p", "r", 3, moving.moved("p")))
        .isEqualTo(new KeyRoute("r", 4, false));
  }

  @Test
  void aMarkIsTrustedForALeaseFromBeforeItWasRead() {
    PartLease trust = new PartLease(ConfigurationLeaseRules.STANDARD);
    assertThat(trust.holds(7, 0)).isFalse();
    assertThat(trust.isStale(0)).isTrue();

    trust.showed(GenerationMark.NONE, SECOND, 2 * SECOND);
    assertThat(trust.holds(1, 3 * SECOND - 1)).isTrue();
    assertThat(trust.holds(1, 3 * SECOND)).isFalse();

    trust.showed(new GenerationMark(2, 1), 2 * SECOND, 2 * SECOND);
    assertThat(trust.holds(1, 2 * SECOND)).isFalse();
    assertThat(trust.isOver(1)).isTrue();
    assertThat(trust.holds(2, 2 * SECOND)).isTrue();
    assertThat(trust.isMarkedBy(new GenerationMark(2, 1), 2 * SECOND)).isTrue();

    trust.showed(GenerationMark.NONE, 3 * SECOND, 3 * SECOND); // A late answer of an earlier read.
    trust.showed(new GenerationMark(2, 2), 3 * SECOND, 3 * SECOND);
    assertThat(trust.isOver(1)).isTrue();
    assertThat(trust.isMarkedBy(new GenerationMark(2, 1), 3 * SECOND)).isFalse();
    assertThat(trust.holds(2, 3 * SECOND)).isTrue();
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Repartition(
                    TO,
                    RepartitionPhase.MARKING,
                    "me",
                    1,
                    new TreeSet<>(Set.of("p")),
                    Heartbeat.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Repartition(
                    TO, RepartitionPhase.MOVING, " ", 1, new TreeSet<>(), Heartbeat.NONE));
    assertThatIllegalArgumentException().isThrownBy(() -> new GenerationMark(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> TO.without("x"));
  }
}
