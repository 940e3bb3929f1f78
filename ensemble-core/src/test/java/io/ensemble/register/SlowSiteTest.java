package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How an operation proceeds without a slow site. */
class SlowSiteTest {

  private static final WriterId US = new WriterId(0, 1);
  private static final WriterId OTHER = new WriterId(0, 2);

  /** An operation, the cells of the sites, and the requests that have no answer yet. */
  private static final class Play {

    private final List<Cell<Integer>> cells = new ArrayList<>();
    private final List<RegisterRequest<Integer>> open = new ArrayList<>();
    private final RegisterOperation<Integer, Integer> operation;

    Play(int sites, Cell<Integer> cell, Update<Integer, Integer> update) {
      this(sites, cell, update, Optional.empty());
    }

    Play(
        int sites,
        Cell<Integer> cell,
        Update<Integer, Integer> update,
        Optional<PreparedBallot> prepared) {
      for (int i = 0; i < sites; i++) {
        cells.add(cell);
      }
      operation =
          RegisterOperation.of(
              new Quorum(sites),
              new BallotGenerator(US, round -> round + 1),
              update,
              Ballot.ZERO,
              prepared,
              RivalPolicy.DEFAULT);
    }

    Play then(Supplier<List<RegisterRequest<Integer>>> input) {
      open.addAll(input.get());
      return this;
    }

    /** Each of these sites, in order, answers its latest request. */
    Play answer(int... sites) {
      for (int site : sites) {
        RegisterRequest<Integer> request =
            open.stream().filter(one -> one.site() == site).reduce((a, b) -> b).orElseThrow();
        open.remove(request);
        then(
            () -> {
              if (request instanceof RegisterRequest.Swap<Integer> swap) {
                boolean takes = cells.get(site).equals(swap.expected().cell());
                if (takes) {
                  cells.set(site, swap.cell());
                }
                return operation.onSwap(site, request.tag(), takes);
              }
              return operation.onRead(site, request.tag(), new VersionedCell<>(cells.get(site), 0));
            });
      }
      return this;
    }

    /** The site promises another proposer a higher ballot than any so far. */
    Play preempt(int site) {
      cells.set(site, cells.get(site).promise(new Ballot(100, Ballot.Kind.CLASSIC, OTHER)));
      return this;
    }

    Play hurry() {
      return then(operation::onHurry);
    }

    Optional<RegisterOutcome<Integer, Integer>> outcome() {
      return operation.outcome();
    }
  }

  private static Cell<Integer> one() {
    Ballot ballot = new Ballot(1, Ballot.Kind.CLASSIC, OTHER);
    return Cell.accepted(ballot, ballot, new Content<>(1, List.of(ballot), 1));
  }

  private static Play write() {
    Play play = new Play(3, one(), current -> Decision.write(2, 2));
    return play.then(play.operation::start);
  }

  /** A write to three sites, one of them silent; it has read the others and asks for promises. */
  private static Play preparing() {
    return write().answer(0, 1).hurry();
  }

  @Test
  void aVoteAfterAReadThatWasHurriedCanBeHurriedToo() {
    Ballot base = one().accepted();
    Ballot fast = new Ballot(2, Ballot.Kind.FAST, OTHER);
    Cell<Integer> newer = Cell.accepted(fast, base, new Content<>(2, List.of(fast), 2));
    Play repair = new Play(3, newer, Update.read());
    repair.then(repair.operation::start).answer(0, 1);
    assertThat(repair.outcome()).as("two equal fast votes prove nothing").isEmpty();
    repair.hurry();
    assertThat(repair.operation.roundTrips()).as("repairing").isEqualTo(2);

    repair.answer(0);

    assertThat(repair.operation.canHurry()).isTrue();
    repair.hurry();
    assertThat(repair.operation.attempt()).as("reads again without the silent voter").isEqualTo(2);
  }

  @Test
  void aBallotThatWasPreemptedDoesNotWaitForASilentSite() {
    Play play = preparing();
    play.preempt(1).answer(0, 1).answer(1);
    assertThat(play.operation.isPaused()).as("the silent site might still promise").isFalse();
    assertThat(play.operation.canHurry()).isTrue();

    play.hurry();

    assertThat(play.operation.isPaused()).isTrue();
    play.then(play.operation::resume).answer(0, 1).hurry().answer(0, 1);
    play.answer(0, 1).answer(0, 1);
    assertThat(play.outcome())
        .hasValueSatisfying(
            done ->
                assertThat(done)
                    .isInstanceOf(RegisterOutcome.Done.class)
                    .extracting("result")
                    .isEqualTo(2));
    assertThat(play.cells.get(0).content().value()).isEqualTo(2);
    assertThat(play.cells.get(0)).isEqualTo(play.cells.get(1));
  }

  @Test
  void aBallotThatWasPreemptedWhileAcceptingFindsItsOwnProposalLater() {
    Play play = preparing().answer(0, 1).answer(0, 1).answer(0);
    play.preempt(1).answer(1).answer(1);
    assertThat(play.operation.isPaused()).isFalse();

    play.hurry();

    assertThat(play.operation.isPaused()).isTrue();
    play.then(play.operation::resume).answer(0, 1).hurry().answer(0, 1);
    play.answer(0, 1).answer(0, 1);
    assertThat(play.outcome())
        .hasValueSatisfying(
            done ->
                assertThat(done)
                    .isInstanceOf(RegisterOutcome.Done.class)
                    .extracting("result")
                    .isEqualTo(2));
    assertThat(play.cells.get(0).content().sequence()).as("applied once").isEqualTo(2);
  }

  @Test
  void aBallotThatNobodyRefusedWaitsForItsMajority() {
    Play play = preparing().answer(0);

    assertThat(play.operation.canHurry()).isFalse();
    assertThat(play.operation.onHurry()).isEmpty();
    play.answer(1).answer(0, 1).answer(0, 1);
    assertThat(play.outcome())
        .hasValueSatisfying(done -> assertThat(done).isInstanceOf(RegisterOutcome.Done.class));
  }

  @Test
  void aBallotWhoseContentCameFromALostSiteBeginsAgain() {
    Play play = preparing().answer(0, 1);
    RegisterRequest<Integer> confirmation =
        play.open.stream().filter(one -> one.site() == 1).reduce((a, b) -> b).orElseThrow();

    play.then(() -> play.operation.onLost(1, confirmation.tag()));

    assertThat(play.operation.isPaused()).as("waits for no other site").isTrue();
    assertThat(play.answer(0).open).as("asks for no acceptance").allMatch(SlowSiteTest::isRead);
  }

  @Test
  void aBallotDoesNotWaitForASlowSourceOnceAnotherMajorityIsConfirmed() {
    Play play = preparing().answer(0, 1);
    assertThat(play.operation.canHurry()).as("the source may still answer").isFalse();
    play.answer(2).answer(2).answer(2).answer(0);
    assertThat(play.operation.isPaused()).isFalse();
    assertThat(play.operation.canHurry()).isTrue();

    play.hurry();

    assertThat(play.operation.isPaused()).as("begins again without the slow site").isTrue();
  }

  @Test
  void aPreparedBallotNeedsOnlyTheSitesThatGaveTheContent() {
    Ballot next = new Ballot(5, Ballot.Kind.CLASSIC, US);
    Cell<Integer> accepted = one().promise(next);
    PreparedBallot prepared = new PreparedBallot(next, Set.of(0, 1, 2, 3));
    Play play = new Play(7, accepted, current -> Decision.write(2, 2), Optional.of(prepared));

    play.then(play.operation::start).answer(0, 1, 2, 3, 4).hurry();

    assertThat(play.operation.roundTrips()).isEqualTo(2);
    play.answer(0, 1, 2, 3);
    assertThat(play.outcome()).as("without the confirmation of site 4").isPresent();
  }

  private static boolean isRead(RegisterRequest<Integer> request) {
    return request instanceof RegisterRequest.Read;
  }

  @Test
  void sitesThatAnsweredAreCounted() {
    Play play = write();
    assertThat(play.operation.heard()).isZero();
    play.answer(2);
    assertThat(play.operation.heard()).isEqualTo(1);
    RegisterRequest<Integer> lost = play.open.remove(0);
    play.then(() -> play.operation.onLost(lost.site(), lost.tag()));
    assertThat(play.operation.heard()).isEqualTo(1);
  }
}
