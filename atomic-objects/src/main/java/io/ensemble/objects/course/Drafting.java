package io.ensemble.objects.course;

import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.machine.NotAppliedException;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Outcome;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Applies batches to a copy of the state. A call that cannot be applied leaves no trace: the copy
 * is made anew and all others are applied once more. So a step ends with every call either applied
 * or declined, whatever methods and codecs do.
 */
final class Drafting {

  /** What a step does to the object. */
  record Applied(Map<Batch, List<Outcome>> outcomes, List<Bytes> calls, Bytes state) {}

  private record Place(Batch batch, int call) {}

  private final Machine machine;
  private final Layout layout;
  private final Replica work;
  private final Root root;
  private final @Nullable Bytes snapshot;
  private final Map<Place, String> declined = new HashMap<>();
  private final Set<Batch> left = new HashSet<>();
  private boolean careful;

  Drafting(Machine machine, Layout layout, Replica work, Root root, @Nullable Bytes snapshot) {
    this.machine = machine;
    this.layout = layout;
    this.work = work;
    this.root = root;
    this.snapshot = snapshot;
  }

  /**
   * Brings the copy to the root and applies the batches, in order.
   *
   * @param own the batch that is this process's own, if it is among them: a call of it that this
   *     process cannot read is declined, where another's batch would be left to its own process
   * @param storing whether the state is to be written
   */
  Applied apply(List<Batch> batches, @Nullable Batch own, boolean storing) {
    while (true) {
      Applied applied = attempt(batches, own, storing);
      if (applied != null && (!layout.comparing() || comparedAlike(applied, batches, own))) {
        return applied;
      }
      work.forget();
    }
  }

  /**
   * Makes less of a step that is too large: leaves all batches but one to their owners, or declines
   * the later half of that one's calls. False if nothing is left. The copy is made anew.
   */
  boolean lighten(List<Batch> batches, @Nullable Batch own, String why) {
    work.forget();
    Batch kept = own == null ? batches.get(0) : own;
    boolean others = false;
    for (Batch batch : batches) {
      others |= batch != kept && left.add(batch);
    }
    if (others) {
      return true;
    }
    List<Place> rest =
        IntStream.range(0, kept.calls().size())
            .mapToObj(i -> new Place(kept, i))
            .filter(p -> !declined.containsKey(p))
            .toList();
    rest.subList(rest.size() / 2, rest.size()).forEach(p -> declined.put(p, why));
    return !rest.isEmpty();
  }

  /** Null if something was declined or left out, so that the copy is spoilt. */
  private @Nullable Applied attempt(List<Batch> batches, @Nullable Batch own, boolean storing) {
    work.bring(root, snapshot);
    Map<Batch, List<Outcome>> outcomes = new LinkedHashMap<>();
    List<Bytes> calls = new ArrayList<>();
    int size = careful ? sizeNow() : 0;
    for (Batch batch : batches) {
      if (left.contains(batch)) {
        continue;
      }
      List<Outcome> answers = new ArrayList<>();
      for (int i = 0; i < batch.calls().size(); i++) {
        Place place = new Place(batch, i);
        String reason = declined.get(place);
        if (reason != null) {
          answers.add(Outcome.declined(reason));
          continue;
        }
        Bytes answer = one(place, batch == own, size);
        if (answer == null) {
          return null;
        }
        answers.add(new Outcome(true, answer));
        calls.add(batch.calls().get(i));
        size = careful ? sizeNow() : 0;
      }
      outcomes.put(batch, answers);
    }
    return checked(new Applied(outcomes, calls, Bytes.EMPTY), storing && !calls.isEmpty());
  }

  private @Nullable Bytes one(Place place, boolean mine, int sizeBefore) {
    try {
      byte[] answer = work.apply(place.batch.calls().get(place.call));
      if (answer.length > layout.resultBytes()) {
        return decline(
            place, "it returns " + answer.length + " bytes; at most " + layout.resultBytes());
      }
      if (careful) {
        int size = machine.store(work.state()).length;
        if (size > layout.stateBytes() && size > sizeBefore) {
          return decline(place, tooLarge(size));
        }
      }
      return Bytes.of(answer);
    } catch (NotAppliedException e) {
      return decline(place, String.valueOf(e.getMessage()));
    } catch (UnreadableException e) {
      if (!mine) {
        left.add(place.batch);
        return null;
      }
      return decline(place, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Writes the state where that is wanted; where it is too large, or cannot be, looks whose fault
   * it is.
   */
  private @Nullable Applied checked(Applied applied, boolean storing) {
    if (!storing) {
      return applied;
    }
    try {
      Bytes state = Bytes.of(machine.store(work.state()));
      if (state.size() > layout.stateBytes() && !careful) {
        careful = true;
        return null;
      }
      return new Applied(applied.outcomes, applied.calls, state);
    } catch (NotAppliedException e) {
      if (careful) {
        throw new AssertionError("a state that could be written after each call cannot be", e);
      }
      careful = true;
      return null;
    }
  }

  /** The size of the state; of one that cannot be written beyond any. */
  private int sizeNow() {
    try {
      return machine.store(work.state()).length;
    } catch (NotAppliedException e) {
      return Integer.MAX_VALUE;
    }
  }

  /** Applies it all to a second copy: whether that comes to the same. */
  private boolean comparedAlike(Applied applied, List<Batch> batches, @Nullable Batch own) {
    long mark = machine.fingerprint(work.state());
    work.forget();
    Applied again = attempt(batches, own, applied.state != Bytes.EMPTY);
    if (again == null) {
      return false;
    }
    if (mark == machine.fingerprint(work.state()) && applied.outcomes.equals(again.outcomes)) {
      return true;
    }
    String why =
        "applied twice to the same state it came to two results: the method depends on more than"
            + " state and arguments (a clock, randomness, an identity)";
    for (Batch batch : applied.outcomes.keySet()) {
      for (int i = 0; i < batch.calls().size(); i++) {
        declined.putIfAbsent(new Place(batch, i), why);
      }
    }
    return false;
  }

  private @Nullable Bytes decline(Place place, String why) {
    declined.put(place, why);
    return null;
  }

  private String tooLarge(int size) {
    return "it makes the state " + size + " bytes large; at most " + layout.stateBytes();
  }
}
