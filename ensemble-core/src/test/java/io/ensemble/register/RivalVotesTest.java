package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.RegisterOutcome.Done;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How operations meet votes of others on the same register. */
class RivalVotesTest {

  private static final WriterId RIVAL = new WriterId(0, 9);
  private static final Ballot FIRST = new Ballot(1, Kind.CLASSIC, RIVAL);
  private static final Ballot BASE = new Ballot(2, Kind.FAST, RIVAL);
  private static final Cell<Integer> CHOSEN =
      Cell.accepted(BASE, FIRST, new Content<>(2, List.of(BASE, FIRST), 1));

  private final List<Cell<Integer>> cells = new ArrayList<>(List.of(CHOSEN, CHOSEN, CHOSEN));

  /** An operation and its open requests. */
  private final class Play {

    private final RegisterOperation<Integer, Integer> operation;
    private List<RegisterRequest<Integer>> open = new ArrayList<>();
    private final List<RegisterRequest<Integer>> again = new ArrayList<>();

    Play(int writer, Update<Integer, Integer> update) {
      operation =
          RegisterOperation.of(
              new Quorum(3),
              new BallotGenerator(new WriterId(0, writer), round -> round + writer),
              update,
              Ballot.ZERO);
      open.addAll(operation.start());
    }

    /** The given sites answer their requests. */
    void answer(int... sites) {
      List<RegisterRequest<Integer>> now = open;
      open = new ArrayList<>();
      for (RegisterRequest<Integer> request : now) {
        boolean answers = false;
        for (int site : sites) {
          answers |= site == request.site();
        }
        if (answers) {
          open.addAll(respond(request));
        } else {
          open.add(request);
        }
      }
    }

    void answerAll() {
      answer(0, 1, 2);
    }

    private List<RegisterRequest<Integer>> respond(RegisterRequest<Integer> request) {
      int site = request.site();
      if (request instanceof RegisterRequest.Swap<Integer> swap) {
        boolean takes = cells.get(site).equals(swap.expected().cell());
        if (takes) {
          cells.set(site, swap.cell());
        }
        return operation.onSwap(site, request.tag(), takes);
      }
      return operation.onRead(site, request.tag(), new VersionedCell<>(cells.get(site), 0));
    }

    boolean onlyReads() {
      return !open.isEmpty() && open.stream().allMatch(RegisterRequest.Read.class::isInstance);
    }

    Done<Integer, Integer> done() {
      return (Done<Integer, Integer>) operation.outcome().orElseThrow();
    }
  }

  private Play write(int writer, int value) {
    return new Play(writer, current -> Decision.write(value, value));
  }

  private static Cell<Integer> vote() {
    Ballot fast = new Ballot(3, Kind.FAST, RIVAL);
    return Cell.accepted(fast, BASE, new Content<>(3, List.of(fast, BASE, FIRST), 5));
  }

  @Test
  void aReaderLeavesAVoteInFlightAlone() {
    cells.set(0, vote());
    Play read = new Play(2, Update.read());
    read.answerAll();
    assertThat(read.onlyReads()).isTrue();
    assertThat(read.operation.roundTrips()).isEqualTo(2);

    cells.set(1, vote());
    cells.set(2, vote());
    read.answerAll();

    assertThat(read.done().result()).isEqualTo(5);
    assertThat(cells).containsOnly(vote());
  }

  @Test
  void aVoteThatStaysIncompleteIsEndedAfterOneMoreRead() {
    cells.set(0, vote());
    Play read = new Play(2, Update.read());
    read.answerAll();
    read.answerAll();

    assertThat(read.onlyReads()).as("asks for the votes or promises of a majority").isFalse();
  }

  @Test
  void aWriterWaitsForAVoteInFlightAndVotesThen() {
    cells.set(0, vote());
    Play writer = write(2, 6);
    writer.answerAll();
    assertThat(writer.onlyReads()).isTrue();
    cells.set(1, vote());
    cells.set(2, vote());
    writer.answerAll();
    writer.answerAll();

    assertThat(writer.done().wrote()).isTrue();
    assertThat(writer.operation.roundTrips()).isEqualTo(3);
  }

  @Test
  void ofTwoRivalsTheOneWithAMajorityRepeatsItsBallotAndTheOtherWaits() {
    Play first = write(2, 6);
    Play second = write(3, 7);
    first.answerAll();
    second.answerAll();
    first.answer(0, 1);
    second.answer(2);
    first.answer(2);
    second.answer(0, 1);
    assertThat(first.onlyReads() && second.onlyReads()).as("neither has all votes").isTrue();

    first.answerAll();
    second.answerAll();
    assertThat(second.operation.isYielding()).isTrue();
    first.answer(0, 1);
    assertThat(first.done().result()).isEqualTo(6);
    assertThat(first.done().wrote()).isTrue();
    assertThat(first.operation.roundTrips()).isEqualTo(4);
    assertThat(first.done().ballot().kind()).isEqualTo(Kind.CONFIRM);
    assertThat(first.done().proposal())
        .as("the ballot in which it was first proposed")
        .isEqualTo(first.done().cell().floor());

    second.open.addAll(second.operation.resume());
    for (int round = 0; round < 6 && second.operation.outcome().isEmpty(); round++) {
      second.answerAll();
    }

    assertThat(second.done().result()).isEqualTo(7);
    assertThat(second.done().cell().content().recent()).contains(first.done().cell().floor());
  }

  @Test
  void anOperationYieldsAFewTimesToARivalThatMayHaveDied() {
    Play second = write(3, 7);
    second.answerAll();
    cells.set(0, vote());
    cells.set(1, vote());
    second.answerAll();
    second.answerAll();
    int yields = 0;
    while (second.operation.isYielding() && yields <= RivalPolicy.DEFAULT.yields()) {
      yields++;
      second.open.addAll(second.operation.resume());
      second.answerAll();
    }

    assertThat(yields).isEqualTo(RivalPolicy.DEFAULT.yields());
    assertThat(second.operation.isPaused()).isFalse();
    assertThat(second.onlyReads()).isFalse();
  }

  /** Another client always comes first; at last the operation asks for promises. */
  @Test
  void anOperationVotesTwelveTimesBeforeItAsksForPromises() {
    Play writer = write(2, 6);
    int votes = 0;
    for (int lost = 0; lost <= 20; lost++) {
      writer.answerAll();
      boolean isVote =
          writer.open.stream()
              .allMatch(
                  request ->
                      request instanceof RegisterRequest.Swap<Integer> swap
                          && swap.cell().promised().kind() == Kind.FAST);
      if (!isVote) {
        break;
      }
      votes++;
      Ballot ballot = new Ballot(100 + lost, Kind.FAST, RIVAL);
      Cell<Integer> base = cells.get(0);
      Content<Integer> next = new Content<>(3 + lost, List.of(ballot, FIRST), lost);
      cells.replaceAll(cell -> Cell.accepted(ballot, base.accepted(), next));
      writer.answerAll();
    }

    assertThat(votes).isEqualTo(RivalPolicy.DEFAULT.unpromisedAttempts());
    assertThat(writer.open)
        .allMatch(
            request ->
                request instanceof RegisterRequest.Swap<Integer> swap
                    && swap.cell().promised().kind() == Kind.CLASSIC);
  }

  /** As after an operation of this client that was abandoned. */
  @Test
  void aPromiseOfTheSameWriterIsNoRival() {
    Ballot own = new Ballot(4, Kind.CLASSIC, new WriterId(0, 2));
    cells.replaceAll(cell -> cell.promise(own));
    Play writer = write(2, 6);
    writer.answerAll();

    assertThat(writer.operation.isYielding()).isFalse();
    assertThat(writer.onlyReads()).isFalse();
  }

  @Test
  void aVoteThatWasLostToAnotherWriteIsCastAgain() {
    Play first = write(2, 6);
    Play second = write(3, 7);
    first.answerAll();
    second.answerAll();
    first.answerAll();
    second.answerAll(); // All sites refuse.
    second.answerAll();
    assertThat(first.done().result()).isEqualTo(6);
    assertThat(second.open)
        .allMatch(
            request ->
                request instanceof RegisterRequest.Swap<Integer> swap
                    && swap.cell().promised().kind() == Kind.FAST);

    second.answerAll();

    assertThat(second.done().result()).isEqualTo(7);
    assertThat(second.operation.roundTrips()).isEqualTo(4);
  }

  /** Although its own ballot is above the one that was chosen. */
  @Test
  void aConditionThatIsNotMetAfterALostVoteNeedsNoPromises() {
    int before = cells.get(0).content().value();
    Play first = write(2, 6);
    Play second =
        new Play(
            3, now -> now == before ? Decision.write(7, 1) : Decision.<Integer, Integer>keep(0));
    first.answerAll();
    second.answerAll();
    first.answerAll();
    second.answerAll(); // All sites refuse.
    second.answerAll();

    assertThat(second.done().result()).isEqualTo(0);
    assertThat(second.done().cell().accepted()).isLessThan(new Ballot(5, Kind.FAST, RIVAL));
    assertThat(second.operation.roundTrips()).isEqualTo(3);
  }

  @Test
  void aWriterThatFindsTheBallotOfARivalWaitsForIt() {
    Ballot promise = new Ballot(4, Kind.CLASSIC, RIVAL);
    cells.replaceAll(cell -> cell.promise(promise));
    Play writer = write(2, 6);
    writer.answerAll();
    assertThat(writer.operation.isYielding()).isTrue();
    Content<Integer> content = new Content<>(3, List.of(promise, BASE, FIRST), 5);
    cells.replaceAll(cell -> Cell.accepted(promise, promise, content));

    writer.open.addAll(writer.operation.resume());
    writer.answerAll();
    writer.answerAll();

    assertThat(writer.done().result()).isEqualTo(6);
    assertThat(writer.done().cell().floor()).isEqualTo(promise);
  }

  /** As while a site is down: each acceptance carries the promise of the next ballot. */
  @Test
  void aPromiseThatWasGivenWithAnAcceptanceIsNotWaitedFor() {
    Ballot accepted = new Ballot(4, Kind.CLASSIC, RIVAL);
    Content<Integer> content = new Content<>(3, List.of(accepted, BASE, FIRST), 5);
    Cell<Integer> cell =
        Cell.accepted(accepted, accepted, content).promise(new Ballot(5, Kind.CLASSIC, RIVAL));
    cells.replaceAll(old -> cell);
    Play writer = write(2, 6);
    writer.answerAll();

    assertThat(writer.operation.isYielding()).isFalse();
    assertThat(writer.onlyReads()).isFalse();
  }

  @Test
  void aConfirmationReplacesTheVoteOfTheRival() {
    Play first = write(2, 6);
    Play second = write(3, 7);
    first.answerAll();
    second.answerAll();
    first.answer(0, 1);
    second.answerAll();
    first.answerAll();
    first.answerAll();
    first.answerAll();

    assertThat(first.done().wrote()).isTrue();
    assertThat(cells).containsOnly(first.done().cell());
  }

  @Test
  void aBallotIsConfirmedOnce() {
    Play first = write(2, 6);
    Play second = write(3, 7);
    first.answerAll();
    second.answerAll();
    first.answer(0, 1);
    second.answer(2);
    first.answer(2);
    first.answerAll();
    // The sites that hold the votes refuse the confirmation, and show the same cells again.
    first.open.forEach(
        request ->
            first.again.addAll(first.operation.onSwap(request.site(), request.tag(), false)));
    first.open = first.again;
    assertThat(first.onlyReads()).isTrue();
    int swapsBefore = first.operation.roundTrips();

    first.answerAll();

    assertThat(first.operation.roundTrips()).isEqualTo(swapsBefore + 1);
    assertThat(first.open)
        .as("a classic ballot asks all sites for a promise")
        .hasSize(3)
        .allMatch(
            request ->
                request instanceof RegisterRequest.Swap<Integer> swap
                    && swap.cell().promised().kind() == Kind.CLASSIC);
  }
}
