package io.ensemble.testkit.history.specification;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A map as a register for each entry: an operation on the whole map is one operation on each
 * register, at one instant. A state of the map is a tuple of states of the registers. Only {@code
 * size} reads more than one register at a time.
 */
final class MapMachine implements SequentialModel.Machine {
  private static final int NOTHING = 0;
  private static final int NO_SIZE = -1;

  /** The effect of an operation on one register. */
  private record RegisterStep(int entry, int operation) {}

  /** A state of each register. */
  private record RegisterStates(int[] states) {
    @Override
    public boolean equals(Object other) {
      return other instanceof RegisterStates that && Arrays.equals(states, that.states);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(states);
    }
  }

  private final List<String> entries;
  private final List<RegisterMachine> registers = new ArrayList<>();
  private final RegisterStep[][] registerSteps;
  private final int[] size;
  private final int[] wholeSameness;
  private final int[] firstSameness;
  private final int samenesses;
  private final List<RegisterStates> mapStates = new ArrayList<>();
  private final Map<RegisterStates, Integer> numbers = new HashMap<>();

  MapMachine(List<HistoryOperation> operations) {
    entries = List.copyOf(entries(operations));
    registerSteps = new RegisterStep[operations.size()][];
    size = new int[operations.size()];
    List<List<HistoryOperation>> byEntry = new ArrayList<>();
    entries.forEach(entry -> byEntry.add(new ArrayList<>()));
    for (int i = 0; i < registerSteps.length; i++) {
      HistoryOperation operation = operations.get(i);
      boolean sized = operation.op().equals(MapModel.SIZE);
      size[i] = sized ? operation.out().intValue() : NO_SIZE;
      List<RegisterStep> own = new ArrayList<>();
      for (int entry = 0; entry < entries.size() && !sized; entry++) {
        HistoryOperation there = projected(operation, entries.get(entry));
        if (there != null) {
          own.add(new RegisterStep(entry, byEntry.get(entry).size()));
          byEntry.get(entry).add(there);
        }
      }
      registerSteps[i] = own.toArray(RegisterStep[]::new);
    }
    byEntry.forEach(own -> registers.add(new RegisterMachine(own)));
    wholeSameness = new int[registerSteps.length];
    firstSameness = new int[entries.size()];
    samenesses = numberSamenesses(operations);
  }

  private static TreeSet<String> entries(List<HistoryOperation> operations) {
    TreeSet<String> entries = new TreeSet<>();
    for (HistoryOperation operation : operations) {
      if (operation.entry() != null) {
        entries.add(operation.entry());
      } else if (operation.op().equals(MapModel.PUT_ALL)) {
        operation.in().fieldNames().forEachRemaining(entries::add);
      } else if (operation.op().equals(MapModel.SNAPSHOT)) {
        operation.out().fieldNames().forEachRemaining(entries::add);
      }
    }
    return entries;
  }

  /** The operation as it applies to that entry; null if it does not. */
  private static @Nullable HistoryOperation projected(HistoryOperation operation, String entry) {
    JsonNode nothing = NullNode.instance;
    return switch (operation.op()) {
      case MapModel.CLEAR -> as(operation, "delete", nothing, nothing);
      case MapModel.PUT_ALL ->
          operation.in().has(entry)
              ? as(operation, "write", operation.in().get(entry), nothing)
              : null;
      case MapModel.SNAPSHOT -> {
        JsonNode seen = operation.out().get(entry);
        yield as(operation, "read", nothing, seen == null ? nothing : seen);
      }
      default -> entry.equals(operation.entry()) ? operation : null;
    };
  }

  private static HistoryOperation as(
      HistoryOperation operation, String op, JsonNode in, JsonNode out) {
    return new HistoryOperation(
        operation.client(),
        operation.key(),
        op,
        null,
        in,
        out,
        operation.callNanos(),
        operation.returnNanos(),
        operation.outcome());
  }

  private int numberSamenesses(List<HistoryOperation> operations) {
    int next = 0;
    for (int entry = 0; entry < firstSameness.length; entry++) {
      firstSameness[entry] = next;
      next += registers.get(entry).samenesses();
    }
    Map<List<Object>, Integer> whole = new LinkedHashMap<>();
    for (int i = 0; i < registerSteps.length; i++) {
      HistoryOperation operation = operations.get(i);
      if (operation.entry() == null && operation.outcome() == HistoryOutcome.UNKNOWN) {
        int fresh = next + whole.size();
        wholeSameness[i] =
            whole.computeIfAbsent(List.of(operation.op(), operation.in()), kind -> fresh);
      }
    }
    return next + whole.size();
  }

  private int intern(int[] states) {
    return numbers.computeIfAbsent(
        new RegisterStates(states),
        fresh -> {
          mapStates.add(fresh);
          return mapStates.size() - 1;
        });
  }

  @Override
  public int initial() {
    return intern(new int[entries.size()]);
  }

  @Override
  public int step(int state, int operation) {
    int[] states = mapStates.get(state).states();
    if (size[operation] != NO_SIZE) {
      return Arrays.stream(states).filter(s -> s != NOTHING).count() == size[operation]
          ? state
          : IMPOSSIBLE;
    }
    int[] after = states;
    for (RegisterStep touch : registerSteps[operation]) {
      int before = states[touch.entry()];
      int now = registers.get(touch.entry()).step(before, touch.operation());
      if (now == IMPOSSIBLE) {
        return IMPOSSIBLE;
      }
      if (now != before) {
        after = after == states ? states.clone() : after;
        after[touch.entry()] = now;
      }
    }
    return after == states ? state : intern(after);
  }

  @Override
  public boolean changesNothing(int operation) {
    for (RegisterStep touch : registerSteps[operation]) {
      if (!registers.get(touch.entry()).changesNothing(touch.operation())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int sameness(int operation) {
    RegisterStep[] own = registerSteps[operation];
    if (own.length == 1 && wholeSameness[operation] == 0) {
      return firstSameness[own[0].entry()]
          + registers.get(own[0].entry()).sameness(own[0].operation());
    }
    return wholeSameness[operation];
  }

  @Override
  public int samenesses() {
    return samenesses;
  }

  @Override
  public int representative(int state) {
    int[] states = mapStates.get(state).states();
    int[] alike = states;
    for (int entry = 0; entry < states.length; entry++) {
      int there = registers.get(entry).representative(states[entry]);
      if (there != states[entry]) {
        alike = alike == states ? states.clone() : alike;
        alike[entry] = there;
      }
    }
    return alike == states ? state : intern(alike);
  }

  @Override
  public void took(int operation) {
    for (RegisterStep touch : registerSteps[operation]) {
      registers.get(touch.entry()).took(touch.operation());
    }
  }

  @Override
  public void untook(int operation) {
    for (RegisterStep touch : registerSteps[operation]) {
      registers.get(touch.entry()).untook(touch.operation());
    }
  }

  @Override
  public boolean neededAgainInVain(int left, int after) {
    int[] before = mapStates.get(left).states();
    int[] now = mapStates.get(after).states();
    for (int entry = 0; entry < before.length; entry++) {
      if (before[entry] != now[entry] && registers.get(entry).neededAgainInVain(before[entry])) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String describe(int state) {
    int[] states = mapStates.get(state).states();
    StringBuilder text = new StringBuilder("{");
    for (int entry = 0; entry < states.length; entry++) {
      if (states[entry] != NOTHING) {
        text.append(text.length() > 1 ? ", " : "").append(entries.get(entry)).append(": ");
        text.append(registers.get(entry).describe(states[entry]));
      }
    }
    return text.append("}").toString();
  }
}
