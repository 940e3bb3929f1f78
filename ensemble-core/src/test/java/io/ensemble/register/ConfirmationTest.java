package io.ensemble.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.RegisterOutcome.Done;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A confirmation that has reached one site, and votes at the others on the ballot it repeats. */
class ConfirmationTest {

  private static final Ballot BASE = new Ballot(2, Kind.FAST, new WriterId(0, 9));

  private final List<Cell<Integer>> cells = new ArrayList<>();

  /** An operation and its open requests. */
  private final class Play {

    private final RegisterOperation<Integer, Integer> operation;
    private final List<RegisterRequest<Integer>> open = new ArrayList<>();

    Play(int writer, Update<Integer, Integer> update) {
      operation =
          RegisterOperation.of(
              new Quorum(cells.size()),
              new BallotGenerator(new WriterId(0, writer), round -> round + writer),
              update,
              Ballot.ZERO);
      open.addAll(operation.start());
    }

    /** All open requests to these sites are performed and answered. */
    void answer(List<Integer> sites) {
      List<RegisterRequest<Integer>> now = new ArrayList<>(open);
      now.removeIf(request -> !sites.contains(request.site()));
      open.removeAll(now);
      now.forEach(request -> open.addAll(respond(request)));
    }

    void hurry() {
      open.addAll(operation.onHurry());
    }

    private List<RegisterRequest<Integer>> respond(RegisterRequest<Integer> request) {
      int site = request.site();
      if (request instanceof RegisterRequest.Swap<Integer> swap) {
        boolean swapped = cells.get(site).equals(swap.expected().cell());
        if (swapped) {
          cells.set(site, swap.cell());
        }
        return operation.onSwap(site, request.tag(), swapped);
      }
      return operation.onRead(site, request.tag(), new VersionedCell<>(cells.get(site), 0));
    }

    Done<Integer, Integer> done() {
      return (Done<Integer, Integer>) operation.outcome().orElseThrow();
    }
  }

  /**
   * All sites hold a chosen fast ballot. A reader that hears of a majority confirms it, and reaches
   * the last site; meanwhile a write from the fast ballot is chosen at all the others. Another
   * reader of a majority must not put the confirmation in place of these votes.
   */
  @ParameterizedTest
  @CsvSource({"5,1", "4,0", "5,0"})
  void aConfirmationDoesNotReplaceVotesOnTheBallotThatItRepeats(int count, long floor) {
    Ballot first = floor == 0 ? Ballot.ZERO : new Ballot(floor, Kind.CLASSIC, BASE.writer());
    Cell<Integer> chosen = Cell.accepted(BASE, first, new Content<>(1, List.of(BASE), 1));
    cells.addAll(Collections.nCopies(count, chosen));
    int last = count - 1;
    List<Integer> others = new ArrayList<>();
    for (int site = 0; site < last; site++) {
      others.add(site);
    }
    List<Integer> all = new ArrayList<>(others);
    all.add(last);
    List<Integer> majority = List.of(0, 1, last);

    Play writer = new Play(2, current -> Decision.write(6, 6));
    writer.answer(all);
    Play reader = new Play(3, Update.read());
    reader.answer(majority);
    reader.hurry();
    reader.answer(List.of(last));
    assertThat(cells.get(last).accepted().kind()).isEqualTo(Kind.CONFIRM);
    writer.answer(others);
    assertThat(writer.done().wrote()).isTrue();

    Play second = new Play(5, Update.read());
    for (int step = 0; step < 40 && second.operation.outcome().isEmpty(); step++) {
      second.answer(majority);
      second.hurry();
      if (second.operation.isPaused()) {
        second.open.addAll(second.operation.resume());
      }
    }

    assertThat(second.done().result()).isEqualTo(6);
  }
}
