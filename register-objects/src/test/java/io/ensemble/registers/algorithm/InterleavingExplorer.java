package io.ensemble.registers.algorithm;

import java.util.ArrayList;
import java.util.Arrays;
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
 *
 * <p>Contents of registers and processes between two accesses have numbers, and each step of an
 * algorithm is computed once for each pair of them. A state is an array of numbers.
 *
 * <p>Visited states are kept as 64-bit fingerprints (hash compaction). Two of n states are taken
 * for one with a probability of at most n * n / 2^65, that is 3 * 10^-4 for 10^8 states.
 *
 * <p>Single reads of a {@link Move.ReadAll} are made as late as possible: directly before a write
 * to the same register, or together at the end. Each other order is equivalent to one of these,
 * since a read and a step of another process that does not write the same register can change
 * places, and nothing is decided between the reads. {@link Reads#EACH} explores all orders.
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

    /** Whether the operation may also end here with {@link Abandoned}, before its next access. */
    default boolean mayAbandon(int process, List<Object> results, Execution execution) {
      return false;
    }

    /** What is wrong after an operation has ended; null if nothing is. */
    @Nullable String check(List<Done> ended);

    default Abstraction abstraction() {
      return Abstraction.NONE;
    }
  }

  /** Which states are taken for one, since they have the same continuations up to names. */
  interface Abstraction {
    Abstraction NONE = new Abstraction() {};

    /** Processes of one kind have equal operations, and may be exchanged. */
    default int kind(int process) {
      return process;
    }

    /** Whether the check uses {@link Done#before()}. */
    default boolean isOrdered() {
      return true;
    }

    /** What is kept of the operations that have ended, after their check. */
    default List<Done> keep(List<Done> ended) {
      return ended;
    }

    default RegisterCell written(RegisterCell cell) {
      return cell;
    }

    default Local settled(Local local) {
      return local;
    }

    /** A process after another one has written a register. */
    default Local overwritten(Local local, String register) {
      return local;
    }
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

  /** The result of an operation that was left where it was. */
  record Abandoned(Execution at) {}

  /**
   * @param violation what is wrong, with the schedule to it
   * @param states how many different states were reached
   * @param isComplete whether these are all
   */
  record Report(Optional<String> violation, long states, boolean isComplete) {}

  /** The answer that a process gets without an access. */
  record Instead(@Nullable Object answer) {}

  /** A planted error. */
  interface Fault {
    Fault NONE = move -> null;

    /** What a process gets instead of an access; null where the access is made. */
    @Nullable Instead of(Move move);

    /** What a process gets from a register. */
    default @Nullable RegisterCell seen(String register, @Nullable RegisterCell cell) {
      return cell;
    }
  }

  /** The order of the single reads of {@link Move.ReadAll}. */
  enum Reads {
    LATE,
    EACH
  }

  /**
   * A process between two accesses.
   *
   * @param read what the present {@link Move.ReadAll} has read
   */
  record Local(
      int process,
      @Nullable Execution execution,
      SortedMap<String, Object> read,
      Set<String> before,
      List<Object> results) {

    static final Object ABSENT = "absent";

    Local at(Execution next) {
      return new Local(process, next, new TreeMap<>(), before, results);
    }
  }

  private enum Kind {
    STOPPED,
    BEGIN,
    READ,
    READ_ALL,
    WRITE
  }

  /** What is known of a process between two accesses, by the number of its {@link Local}. */
  private static final class Access {
    Kind kind = Kind.STOPPED;
    int[] slots = {};
    int cell;
    int written;
    int abandoned = -1;
    int begun;
    boolean isBeyond;
    boolean isEnded;

    /** Whether no operation is in progress. */
    boolean isIdle() {
      return kind == Kind.BEGIN || (kind == Kind.STOPPED && !isEnded);
    }
  }

  /** What an operation that ends depends on, and what follows. */
  private record Ending(int local, int history, long begun) {}

  private record Ended(int local, int history, @Nullable String wrong) {}

  private record Beginning(int local, int history) {}

  private static final int ABANDON = 1 << 16;

  private final Scenario scenario;
  private final Abstraction abstraction;
  private final Fault fault;
  private final long mostStates;
  private final int mostSoloSteps;
  private final Reads reads;
  private final int processes;
  private final int together;

  private final Numbers<String> registers = new Numbers<>();
  private final Numbers<Object> cells = new Numbers<>();
  private final Numbers<Local> locals = new Numbers<>();
  private final Numbers<List<Done>> histories = new Numbers<>();
  private final List<Access> accesses = new ArrayList<>();
  private final LongToInt afterRead = new LongToInt();
  private final LongToInt afterOverwrite = new LongToInt();
  private final Map<Beginning, Integer> beginnings = new HashMap<>();
  private final Map<Ending, Ended> endings = new HashMap<>();
  private final Longs endAlone = new Longs();
  private final Longs endTogether = new Longs();
  private final StringBuilder endless = new StringBuilder();
  private @Nullable String wrong;

  /**
   * @param mostSoloSteps an operation that runs alone must end within so many steps; 0 skips this
   */
  InterleavingExplorer(Scenario scenario, Fault fault, long mostStates, int mostSoloSteps) {
    this(scenario, fault, mostStates, mostSoloSteps, 1, Reads.LATE);
  }

  /**
   * @param together operations of so many processes that alone take steps must end; at least 1
   */
  InterleavingExplorer(
      Scenario scenario,
      Fault fault,
      long mostStates,
      int mostSoloSteps,
      int together,
      Reads reads) {
    this.scenario = scenario;
    this.abstraction = scenario.abstraction();
    this.fault = fault;
    this.mostStates = mostStates;
    this.mostSoloSteps = mostSoloSteps;
    this.together = together;
    this.reads = reads;
    this.processes = scenario.processes();
  }

  /** The states on the way from the first one, each with the steps that are not taken yet. */
  private final class Path {
    final List<int[]> states = new ArrayList<>();
    final List<int[]> steps = new ArrayList<>();
    int[] taken = new int[64];

    void push(int[] state) {
      states.add(state);
      steps.add(steps(state));
      if (states.size() > taken.length) {
        taken = Arrays.copyOf(taken, taken.length * 2);
      }
      taken[states.size() - 1] = 0;
    }

    void pop() {
      states.remove(states.size() - 1);
      steps.remove(steps.size() - 1);
    }

    String schedule() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < states.size(); i++) {
        if (taken[i] > 0) {
          text.append('\n').append(describe(states.get(i), steps.get(i)[taken[i] - 1]));
        }
      }
      return text.toString();
    }
  }

  Report run() {
    cells.of("nothing"); // Number 0 is a register that was never written.
    int[] first = new int[processes + 1];
    for (int i = 0; i < processes; i++) {
      first[i] = local(new Local(abstraction.kind(i), null, new TreeMap<>(), Set.of(), List.of()));
    }
    first[processes] = histories.of(List.of());
    Longs seen = new Longs();
    Path path = new Path();
    seen.add(fingerprint(first));
    path.push(first);
    while (!path.states.isEmpty()) {
      int depth = path.states.size() - 1;
      int[] steps = path.steps.get(depth);
      if (path.taken[depth] == steps.length) {
        path.pop();
        continue;
      }
      int step = steps[path.taken[depth]++];
      int[] next = take(path.states.get(depth), step);
      if (wrong != null) {
        return violated(wrong, path, seen.size());
      }
      if (seen.add(fingerprint(next))) {
        String endless = mostSoloSteps == 0 ? null : runAlone(next);
        if (endless != null) {
          return violated(endless, path, seen.size());
        }
        if (seen.size() >= mostStates) {
          return new Report(Optional.empty(), seen.size(), false);
        }
        path.push(next);
      }
    }
    return new Report(Optional.empty(), seen.size(), true);
  }

  private static Report violated(String wrong, Path path, long states) {
    return new Report(Optional.of(wrong + path.schedule()), states, false);
  }

  /** What is wrong if operations do not end when their processes alone take steps. */
  private @Nullable String runAlone(int[] state) {
    for (int i = 0; i < processes; i++) {
      if (!endsAlone(state, i)) {
        return "process " + i + " does not end alone";
      }
    }
    if (together > 1) {
      for (int group = 1; group < 1 << processes; group++) {
        if (Integer.bitCount(group) == together && !endTogether(state, group, new HashSet<>())) {
          return "processes %s do not end together, backwards:%s\nafter:"
              .formatted(Integer.toBinaryString(group), endless);
        }
      }
    }
    return null;
  }

  private boolean endsAlone(int[] from, int process) {
    List<Long> passed = new ArrayList<>();
    int[] state = from;
    while (accesses.get(state[process]).kind != Kind.STOPPED) {
      long key = mix(3, process, state[process]) + memory(state);
      if (endAlone.has(key)) {
        break;
      }
      if (passed.size() > mostSoloSteps) {
        return false;
      }
      passed.add(key);
      state = take(state, process);
      wrong = null;
      if (accesses.get(state[process]).isIdle()) {
        break;
      }
    }
    passed.forEach(endAlone::add);
    return true;
  }

  /** Whether each schedule of a group of processes is finite. */
  private boolean endTogether(int[] state, int group, Set<Long> passing) {
    long key = memory(state);
    for (int i = 0; i < processes; i++) {
      key += (group & 1 << i) == 0 ? 0 : mix(4, abstraction.kind(i), state[i]);
    }
    if (endTogether.has(key)) {
      return true;
    }
    if (passing.size() > mostSoloSteps || !passing.add(key)) {
      endless.append(passing.size() > mostSoloSteps ? " too long" : " a cycle");
      return false;
    }
    for (int step : stepsOf(state, group, false)) {
      int[] next = take(state, step);
      wrong = null;
      if (!endTogether(next, group, passing)) {
        endless.append('\n').append(describe(state, step));
        return false;
      }
    }
    passing.remove(key);
    endTogether.add(key);
    return true;
  }

  private int[] steps(int[] state) {
    return stepsOf(state, (1 << processes) - 1, true);
  }

  /** A step is a process, and which of the others read a register directly before its write. */
  private int[] stepsOf(int[] state, int group, boolean isBounded) {
    int[] steps = new int[8];
    int count = 0;
    for (int i = 0; i < processes; i++) {
      Access access = accesses.get(state[i]);
      if ((group & 1 << i) == 0
          || access.kind == Kind.STOPPED
          || (isBounded && access.isBeyond)
          || isSameAsBefore(state, group, i)) {
        continue;
      }
      int readers = 0;
      int variants = 1;
      if (access.kind == Kind.WRITE && reads == Reads.LATE) {
        readers = readers(state, group, i, access.slots[0]);
      } else if (access.kind == Kind.READ_ALL && reads == Reads.EACH) {
        variants = access.slots.length;
      }
      for (int variant = 0; variant < variants; variant++) {
        int subset = readers;
        do {
          steps = with(steps, count++, i | variant << 4 | subset << 8);
          subset = (subset - 1) & readers;
        } while (subset != readers && readers != 0);
      }
      if (isBounded && access.abandoned >= 0) {
        steps = with(steps, count++, i | ABANDON);
      }
    }
    return Arrays.copyOf(steps, count);
  }

  /** Of processes that may be exchanged and are at the same place, one takes the step. */
  private boolean isSameAsBefore(int[] state, int group, int process) {
    for (int i = 0; i < process; i++) {
      if ((group & 1 << i) != 0
          && state[i] == state[process]
          && abstraction.kind(i) == abstraction.kind(process)) {
        return true;
      }
    }
    return false;
  }

  private static int[] with(int[] steps, int count, int step) {
    int[] longer = count < steps.length ? steps : Arrays.copyOf(steps, steps.length * 2);
    longer[count] = step;
    return longer;
  }

  /** The other processes that read the register among others that they have not read yet. */
  private int readers(int[] state, int group, int writer, int slot) {
    int readers = 0;
    for (int i = 0; i < processes; i++) {
      Access access = accesses.get(state[i]);
      if (i != writer
          && (group & 1 << i) != 0
          && access.kind == Kind.READ_ALL
          && access.slots.length > 1) {
        for (int unread : access.slots) {
          readers |= unread == slot ? 1 << i : 0;
        }
      }
    }
    return readers;
  }

  private int[] take(int[] state, int step) {
    int i = step & 15;
    Access access = accesses.get(state[i]);
    int[] next = state.clone();
    if ((step & ABANDON) != 0) {
      next[i] = access.abandoned;
    } else if (access.kind == Kind.BEGIN) {
      next[i] = begun(state[i], state[processes]);
    } else if (access.kind == Kind.READ) {
      next[i] = read(state[i], access.slots[0], cell(state, access.slots[0]));
    } else if (access.kind == Kind.READ_ALL && reads == Reads.EACH) {
      int slot = access.slots[step >> 4 & 15];
      next[i] = read(state[i], slot, cell(state, slot));
    } else if (access.kind == Kind.READ_ALL) {
      for (int slot : access.slots) {
        next[i] = read(next[i], slot, cell(state, slot));
      }
    } else {
      int slot = access.slots[0];
      int at = processes + 1 + slot;
      next = at < next.length ? next : Arrays.copyOf(next, at + 1);
      for (int other = 0; other < processes; other++) {
        if ((step >> 8 & 1 << other) != 0) {
          next[other] = read(next[other], slot, next[at]);
        }
      }
      next[at] = access.cell;
      next[i] = access.written;
      if (abstraction != Abstraction.NONE) {
        for (int other = 0; other < processes; other++) {
          next[other] = other == i ? next[other] : overwritten(next[other], slot);
        }
      }
    }
    if (accesses.get(next[i]).isEnded) {
      end(next, i);
    }
    return next;
  }

  private int cell(int[] state, int slot) {
    int at = processes + 1 + slot;
    return at < state.length ? state[at] : 0;
  }

  private int begun(int local, int history) {
    Beginning key = new Beginning(local, abstraction.isOrdered() ? history : 0);
    Integer known = beginnings.get(key);
    if (known != null) {
      return known;
    }
    Local idle = locals.get(local);
    Frame operation = Objects.requireNonNull(scenario.next(idle.process(), idle.results()));
    Set<String> before = new TreeSet<>();
    if (abstraction.isOrdered()) {
      histories.get(history).forEach(done -> before.add(done.id()));
    }
    int begun =
        local(
            new Local(
                idle.process(),
                faulty(Execution.begin(operation)),
                new TreeMap<>(),
                before,
                idle.results()));
    beginnings.put(key, begun);
    return begun;
  }

  private int read(int local, int slot, int cell) {
    long key = (long) local << 32 | (long) slot << 24 | cell;
    int known = afterRead.get(key);
    if (known >= 0) {
      return known;
    }
    int next = local(read(locals.get(local), registers.get(slot), content(cell)));
    afterRead.put(key, next);
    return next;
  }

  private @Nullable RegisterCell content(int cell) {
    return cell == 0 ? null : (RegisterCell) cells.get(cell);
  }

  private Local read(Local at, String register, @Nullable RegisterCell cell) {
    Execution execution = Objects.requireNonNull(at.execution());
    if (execution.move() instanceof Move.Read) {
      return at.at(faulty(execution.answer(fault.seen(register, cell))));
    }
    SortedMap<String, Object> more = new TreeMap<>(at.read());
    RegisterCell seen = fault.seen(register, cell);
    more.put(register, seen == null ? Local.ABSENT : seen);
    if (more.size() < new HashSet<>(((Move.ReadAll) execution.move()).registers()).size()) {
      return new Local(at.process(), execution, more, at.before(), at.results());
    }
    Map<String, RegisterCell> all = new HashMap<>();
    more.forEach(
        (name, content) -> {
          if (content instanceof RegisterCell found) {
            all.put(name, found);
          }
        });
    return at.at(faulty(execution.answer(all)));
  }

  private int overwritten(int local, int slot) {
    long key = (long) local << 32 | slot;
    int known = afterOverwrite.get(key);
    if (known >= 0) {
      return known;
    }
    int next = local(abstraction.overwritten(locals.get(local), registers.get(slot)));
    afterOverwrite.put(key, next);
    return next;
  }

  /** Applies the planted error, and goes on where nothing is accessed. */
  private Execution faulty(Execution execution) {
    Execution current = execution;
    while (!current.isEnded()) {
      Instead instead =
          current.move() instanceof Move.Contended ? new Instead(null) : fault.of(current.move());
      if (instead == null) {
        break;
      }
      current = current.answer(instead.answer());
    }
    return current;
  }

  private void end(int[] state, int process) {
    long begun = 0;
    for (int i = 0; i < processes; i++) {
      begun = begun << 8 | accesses.get(state[i]).begun;
    }
    Ending key = new Ending(state[process], state[processes], begun);
    Ended ended = endings.get(key);
    if (ended == null) {
      ended = ended(state, process);
      endings.put(key, ended);
    }
    state[process] = ended.local();
    state[processes] = ended.history();
    wrong = ended.wrong();
  }

  private Ended ended(int[] state, int process) {
    Local at = locals.get(state[process]);
    Object result = Objects.requireNonNull(at.execution()).result();
    List<Object> results = new ArrayList<>(at.results());
    results.add(result == null ? Local.ABSENT : result);
    int idle =
        local(new Local(at.process(), null, new TreeMap<>(), Set.of(), List.copyOf(results)));
    if (result instanceof Abandoned) {
      return new Ended(idle, state[processes], null);
    }
    Set<String> begun = new TreeSet<>();
    for (int i = 0; i < processes; i++) {
      for (int number = 0; number < accesses.get(state[i]).begun; number++) {
        begun.add(locals.get(state[i]).process() + "." + number);
      }
    }
    List<Done> all = new ArrayList<>(histories.get(state[processes]));
    all.add(
        new Done(
            at.process(),
            at.results().size(),
            at.before(),
            begun,
            results.get(results.size() - 1)));
    all.sort((one, other) -> one.id().compareTo(other.id()));
    String violation = scenario.check(all);
    return new Ended(idle, histories.of(abstraction.keep(all)), violation);
  }

  /** The number of a process between two accesses. */
  private int local(Local local) {
    int number = locals.of(abstraction.settled(local));
    if (number == accesses.size()) {
      Access access = new Access();
      accesses.add(access);
      describe(locals.get(number), access);
    }
    return number;
  }

  private void describe(Local local, Access access) {
    Execution execution = local.execution();
    access.begun = local.results().size() + (execution == null ? 0 : 1);
    if (execution == null) {
      boolean isLast = scenario.next(local.process(), local.results()) == null;
      access.kind = isLast ? Kind.STOPPED : Kind.BEGIN;
      return;
    }
    Move move = execution.move();
    access.isEnded = execution.isEnded();
    access.isBeyond = scenario.isBeyond(move);
    if (access.isEnded) {
      return;
    }
    if (scenario.mayAbandon(local.process(), local.results(), execution)) {
      Move left = new Move.Return(new Abandoned(execution));
      access.abandoned = local(local.at(new Execution(List.of(), left)));
    }
    if (move instanceof Move.Read read) {
      access.kind = Kind.READ;
      access.slots = new int[] {registers.of(read.register())};
    } else if (move instanceof Move.ReadAll all) {
      access.kind = Kind.READ_ALL;
      access.slots =
          all.registers().stream()
              .distinct()
              .filter(register -> !local.read().containsKey(register))
              .mapToInt(registers::of)
              .toArray();
    } else {
      Move.Write write = (Move.Write) move;
      access.kind = Kind.WRITE;
      access.slots = new int[] {registers.of(write.register())};
      access.cell = cells.of(abstraction.written(write.cell()));
      access.written = local(local.at(faulty(execution.answer(null))));
    }
  }

  private String describe(int[] state, int step) {
    int i = step & 15;
    Access access = accesses.get(state[i]);
    StringBuilder text = new StringBuilder();
    if ((step & ABANDON) != 0) {
      return "process " + i + " abandons its operation";
    }
    for (int other = 0; other < processes; other++) {
      if ((step >> 8 & 1 << other) != 0) {
        text.append("process ").append(other).append(" reads ");
        text.append(register(state, access.slots[0])).append('\n');
      }
    }
    text.append("process ").append(i);
    if (access.kind == Kind.BEGIN) {
      text.append(" begins");
    } else if (access.kind == Kind.WRITE) {
      text.append(" writes ").append(registers.get(access.slots[0]));
      text.append(" := ").append(cells.get(access.cell));
    } else {
      text.append(" reads");
      int[] slots =
          access.kind == Kind.READ_ALL && reads == Reads.EACH
              ? new int[] {access.slots[step >> 4 & 15]}
              : access.slots;
      for (int slot : slots) {
        text.append(' ').append(register(state, slot));
      }
    }
    return text.toString();
  }

  private String register(int[] state, int slot) {
    return registers.get(slot) + " = " + cells.get(cell(state, slot));
  }

  private long fingerprint(int[] state) {
    long sum = memory(state) + mix(1, 0, state[processes]);
    for (int i = 0; i < processes; i++) { // The sum is the same if equal processes change places.
      sum += mix(2, abstraction.kind(i), state[i]);
    }
    return sum;
  }

  private long memory(int[] state) {
    long sum = 0;
    for (int at = processes + 1; at < state.length; at++) {
      sum += state[at] == 0 ? 0 : mix(0, at, state[at]);
    }
    return sum;
  }

  private static long mix(int part, int place, int number) {
    long z = ((long) part << 60 | (long) place << 40 | number) + 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    z = (z ^ z >>> 31) * 0xD6E8FEB86659FD93L;
    return z ^ z >>> 32;
  }

  /** Numbers of things, equal only for equal things. */
  private static final class Numbers<T> {
    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> things = new ArrayList<>();

    int of(T thing) {
      Integer known = numbers.get(thing);
      if (known != null) {
        return known;
      }
      numbers.put(thing, things.size());
      things.add(thing);
      return things.size() - 1;
    }

    T get(int number) {
      return things.get(number);
    }
  }

  /** A set of numbers in 8 to 24 bytes each. */
  private static final class Longs {
    private long[] table = new long[1 << 10];
    private int size;

    int size() {
      return size;
    }

    boolean has(long number) {
      return table[slot(table, number)] != 0;
    }

    boolean add(long number) {
      long present = number == 0 ? 1 : number;
      int at = slot(table, present);
      if (table[at] != 0) {
        return false;
      }
      table[at] = present;
      if (++size > table.length / 4 * 3) {
        long[] larger = new long[table.length * 2];
        for (long each : table) {
          if (each != 0) {
            larger[slot(larger, each)] = each;
          }
        }
        table = larger;
      }
      return true;
    }

    private static int slot(long[] table, long number) {
      long present = number == 0 ? 1 : number;
      int at = (int) (present * 0x9E3779B97F4A7C15L >>> 20) & table.length - 1;
      while (table[at] != 0 && table[at] != present) {
        at = at + 1 & table.length - 1;
      }
      return at;
    }
  }

  /** A map of keys other than -1 to numbers from 0. */
  private static final class LongToInt {
    private long[] keys = filled(1 << 10);
    private int[] values = new int[1 << 10];
    private int size;

    private static long[] filled(int length) {
      long[] keys = new long[length];
      Arrays.fill(keys, -1);
      return keys;
    }

    int get(long key) {
      int at = slot(keys, key);
      return keys[at] == -1 ? -1 : values[at];
    }

    void put(long key, int value) {
      if (size++ > keys.length / 2) {
        long[] larger = filled(keys.length * 2);
        int[] moved = new int[larger.length];
        for (int i = 0; i < keys.length; i++) {
          if (keys[i] != -1) {
            int at = slot(larger, keys[i]);
            larger[at] = keys[i];
            moved[at] = values[i];
          }
        }
        keys = larger;
        values = moved;
      }
      int at = slot(keys, key);
      keys[at] = key;
      values[at] = value;
    }

    private static int slot(long[] keys, long key) {
      int at = (int) (key * 0x9E3779B97F4A7C15L >>> 20) & keys.length - 1;
      while (keys[at] != -1 && keys[at] != key) {
        at = at + 1 & keys.length - 1;
      }
      return at;
    }
  }
}
