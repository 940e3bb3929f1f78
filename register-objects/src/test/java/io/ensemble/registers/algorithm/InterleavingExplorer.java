package io.ensemble.registers.algorithm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Explores every interleaving of the reads and writes of several processes. A crash needs no step
 * of its own: whatever the others do, a process may never be scheduled again.
 */
final class InterleavingExplorer {

  /** What processes do, and what must hold. */
  interface Scenario {

    int processes();

    /**
     * The next operation of a process.
     *
     * @param results of its operations so far
     * @return null after the last one
     */
    @Nullable Frame next(int process, List<Object> results);

    /** Whether a process takes no step from here on, so that the exploration is finite. */
    default boolean isBeyond(Move move) {
      return false;
    }

    /** What is wrong after an operation has ended; null if nothing is. */
    @Nullable String check(List<Done> ended);
  }

  /**
   * An operation that has ended.
   *
   * @param number of the operation among those of its process, from 0
   * @param before the operations that had ended when it began, as "process.number"
   * @param begun the operations that had begun when it ended, likewise
   */
  record Done(int process, int number, Set<String> before, Set<String> begun, Object result) {
    String id() {
      return process + "." + number;
    }
  }

  /**
   * @param violation what is wrong, with the schedule to it
   * @param states how many different states were reached
   * @param isComplete whether these are all
   */
  record Report(Optional<String> violation, long states, boolean isComplete) {}

  /** The answer that a process gets without an access. */
  record Instead(@Nullable Object answer) {}

  /** A planted error: which accesses are left out, and what processes get instead. */
  interface Fault {
    Fault NONE = (move, memory) -> null;

    /** Null where the access is made. */
    @Nullable Instead of(Move move, Map<String, RegisterCell> memory);
  }

  /** A process between two accesses. */
  private record Process(
      @Nullable Execution execution,
      SortedMap<String, Object> read,
      Set<String> before,
      int number) {}

  private record State(
      SortedMap<String, RegisterCell> memory, List<Process> processes, List<Done> ended) {}

  private record Step(int process, @Nullable String register) {}

  private record Visit(State state, @Nullable Visit from, String step) {
    List<String> schedule() {
      List<String> steps = new ArrayList<>();
      for (Visit visit = this; visit != null; visit = visit.from) {
        steps.add(visit.step);
      }
      Collections.reverse(steps);
      return steps;
    }
  }

  private static final Object ABSENT = "absent";

  private final Scenario scenario;
  private final Fault fault;
  private final long mostStates;
  private final int mostSoloSteps;
  private final Keys keys = new Keys();
  private final Set<List<Integer>> endAlone = new HashSet<>();

  /**
   * @param mostSoloSteps an operation that runs alone must end within so many accesses; 0 skips
   *     this
   */
  InterleavingExplorer(Scenario scenario, Fault fault, long mostStates, int mostSoloSteps) {
    this.scenario = scenario;
    this.fault = fault;
    this.mostStates = mostStates;
    this.mostSoloSteps = mostSoloSteps;
  }

  Report run() {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < scenario.processes(); i++) {
      processes.add(new Process(null, new TreeMap<>(), Set.of(), 0));
    }
    State first = new State(new TreeMap<>(), processes, List.of());
    Set<List<Integer>> seen = new HashSet<>();
    Deque<Visit> open = new ArrayDeque<>();
    seen.add(keys.of(first));
    open.push(new Visit(first, null, "begin"));
    while (!open.isEmpty()) {
      Visit visit = open.pop();
      String wrong = mostSoloSteps == 0 ? null : runAlone(visit.state());
      if (wrong != null) {
        return violated(wrong, visit, seen.size());
      }
      for (Step step : steps(visit.state())) {
        State next = take(visit.state(), step);
        Visit reached = new Visit(next, visit, describe(visit.state(), step));
        if (next.ended().size() > visit.state().ended().size()) {
          wrong = scenario.check(next.ended());
          if (wrong != null) {
            return violated(wrong, reached, seen.size());
          }
        }
        if (seen.add(keys.of(next))) {
          if (seen.size() >= mostStates) {
            return new Report(Optional.empty(), seen.size(), false);
          }
          open.push(reached);
        }
      }
    }
    return new Report(Optional.empty(), seen.size(), true);
  }

  private static Report violated(String wrong, Visit visit, long states) {
    return new Report(
        Optional.of(wrong + "\n" + String.join("\n", visit.schedule())), states, false);
  }

  /** What is wrong if an operation does not end when its process alone takes steps. */
  private @Nullable String runAlone(State state) {
    for (int i = 0; i < scenario.processes(); i++) {
      State alone = state;
      int target = state.ended().size() + 1;
      Set<List<Integer>> passed = new HashSet<>();
      while (alone.ended().size() < target) {
        List<Integer> key = keys.alone(alone, i);
        List<Step> next = stepsOf(alone, i);
        if (endAlone.contains(key) || next.isEmpty()) {
          break;
        }
        if (!passed.add(key) || passed.size() > mostSoloSteps) {
          return "process " + i + " does not end alone";
        }
        alone = take(alone, next.get(0));
      }
      endAlone.addAll(passed);
    }
    return null;
  }

  private List<Step> steps(State state) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < scenario.processes(); i++) {
      Execution execution = state.processes().get(i).execution();
      if (execution == null || !scenario.isBeyond(execution.move())) {
        steps.addAll(stepsOf(state, i));
      }
    }
    return steps;
  }

  private List<Step> stepsOf(State state, int process) {
    Process at = state.processes().get(process);
    if (at.execution() == null) {
      return scenario.next(process, results(state, process)) == null
          ? List.of()
          : List.of(new Step(process, null));
    }
    if (at.execution().move() instanceof Move.ReadAll reads) {
      return reads.registers().stream()
          .filter(register -> !at.read().containsKey(register))
          .map(register -> new Step(process, register))
          .toList();
    }
    return List.of(new Step(process, null));
  }

  private static List<Object> results(State state, int process) {
    return state.ended().stream()
        .filter(done -> done.process() == process)
        .sorted((one, other) -> one.number() - other.number())
        .map(Done::result)
        .toList();
  }

  private State take(State state, Step step) {
    int i = step.process();
    Process at = state.processes().get(i);
    SortedMap<String, RegisterCell> memory = state.memory();
    Execution execution = at.execution();
    SortedMap<String, Object> read = at.read();
    Set<String> before = at.before();
    if (execution == null) { // The first access belongs to the step that begins the operation.
      Frame operation = scenario.next(i, results(state, i));
      execution = faulty(Execution.begin(Objects.requireNonNull(operation)), memory);
      before = new TreeSet<>(state.ended().stream().map(Done::id).toList());
      return with(state, i, new Process(execution, new TreeMap<>(), before, at.number()), memory);
    }
    Move move = execution.move();
    if (move instanceof Move.Read one) {
      execution = execution.answer(memory.get(one.register()));
    } else if (move instanceof Move.ReadAll all) {
      SortedMap<String, Object> more = new TreeMap<>(read);
      RegisterCell cell = memory.get(step.register());
      more.put(step.register(), cell == null ? ABSENT : cell);
      if (more.size() < new HashSet<>(all.registers()).size()) {
        return with(state, i, new Process(execution, more, before, at.number()), memory);
      }
      Map<String, RegisterCell> cells = new HashMap<>();
      more.forEach(
          (register, content) -> {
            if (content instanceof RegisterCell found) {
              cells.put(register, found);
            }
          });
      execution = execution.answer(cells);
    } else if (move instanceof Move.Write write) {
      memory = new TreeMap<>(memory);
      memory.put(write.register(), write.cell());
      execution = execution.answer(null);
    } else {
      throw new IllegalStateException("no access: " + move);
    }
    return with(
        state,
        i,
        new Process(faulty(execution, memory), new TreeMap<>(), before, at.number()),
        memory);
  }

  /** Applies the planted error, and goes on where nothing is accessed. */
  private Execution faulty(Execution execution, Map<String, RegisterCell> memory) {
    Execution current = execution;
    while (!current.isEnded()) {
      Instead instead =
          current.move() instanceof Move.Contended
              ? new Instead(null)
              : fault.of(current.move(), memory);
      if (instead == null) {
        break;
      }
      current = current.answer(instead.answer());
    }
    return current;
  }

  private State with(State state, int i, Process next, SortedMap<String, RegisterCell> memory) {
    List<Process> processes = new ArrayList<>(state.processes());
    List<Done> ended = state.ended();
    Process kept = next;
    if (next.execution() != null && next.execution().isEnded()) {
      Set<String> begun = new TreeSet<>();
      for (int other = 0; other < processes.size(); other++) {
        Process process = processes.get(other);
        for (int number = 0; number < process.number(); number++) {
          begun.add(other + "." + number);
        }
        if (process.execution() != null) {
          begun.add(other + "." + process.number());
        }
      }
      ended = new ArrayList<>(ended);
      ended.add(new Done(i, next.number(), next.before(), begun, next.execution().result()));
      ended.sort((one, other) -> one.id().compareTo(other.id()));
      kept = new Process(null, new TreeMap<>(), Set.of(), next.number() + 1);
    }
    processes.set(i, kept);
    return new State(memory, List.copyOf(processes), List.copyOf(ended));
  }

  private static String describe(State state, Step step) {
    Process at = state.processes().get(step.process());
    if (at.execution() == null) {
      return "process " + step.process() + " begins";
    }
    Move move = at.execution().move();
    String access =
        move instanceof Move.Read one
            ? "reads " + one.register() + " = " + state.memory().get(one.register())
            : move instanceof Move.Write write
                ? "writes " + write.register() + " := " + write.cell()
                : "reads " + step.register() + " = " + state.memory().get(step.register());
    return "process " + step.process() + " " + access;
  }

  /** A state by the numbers of its parts, which are equal only for equal parts. */
  private final class Keys {
    private final Map<Object, Integer> numbers = new HashMap<>();

    List<Integer> of(State state) {
      List<Integer> key = new ArrayList<>();
      key.add(number(state.memory()));
      key.add(number(state.ended()));
      state.processes().forEach(process -> key.add(number(process)));
      return key;
    }

    /** What the steps of one process alone depend on. */
    List<Integer> alone(State state, int process) {
      return List.of(
          process,
          number(state.memory()),
          number(state.processes().get(process)),
          number(results(state, process)));
    }

    private int number(Object part) {
      return numbers.computeIfAbsent(part, unknown -> numbers.size());
    }
  }
}
