package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * The throughput of the session protocol in virtual time, when only the store and the way to it
 * take time. Sessions of one counter have callers that call again soon after each result. Requests
 * that write the root wait for each other at the store.
 */
final class SessionSimulation {

  /** The calls with a result, in total and by session, and the requests by kind. */
  record Outcome(int calls, List<Integer> each, Map<String, Integer> asked) {

    /**
     * The number of requests of a kind; lost swaps, read mailboxes and unknown outcomes are
     * counted, too.
     */
    int requests(String kind) {
      return asked.getOrDefault(kind, 0);
    }
  }

  private record Due(long at, long number, Runnable what) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private static final class Adding implements StateMachine {
    @Override
    public Object load(byte[] state) {
      return new long[] {Long.parseLong(new String(state, UTF_8))};
    }

    @Override
    public byte[] store(Object state) {
      return String.valueOf(((long[]) state)[0]).getBytes(UTF_8);
    }

    @Override
    public byte[] apply(Object state, byte[] call) {
      ((long[]) state)[0]++;
      return store(state);
    }
  }

  private final class Session {
    final UUID id;
    final SessionProtocol course;
    final long oneWay;
    long wake;
    long calls;
    int mine;
    boolean isClosed;

    Session(int index, long oneWay) {
      this.oneWay = oneWay;
      id = new UUID(1, index + 1);
      int[] names = {0};
      course =
          new SessionProtocol(
              new Adding(),
              id,
              BIRTH,
              ProtocolSettings.DEFAULT,
              EnumSet.allOf(SafetyRule.class),
              () -> new UUID(index + 1, ++names[0]),
              index + 1);
    }

    void call() {
      if (isClosed) {
        return;
      }
      perform(course.call(++calls, ByteString.of("1".getBytes(UTF_8)), now));
    }

    void perform(List<ProtocolEffect> effects) {
      for (ProtocolEffect effect : effects) {
        if (effect instanceof ProtocolEffect.Ask ask) {
          after(oneWay, () -> arrived(this, ask.request()));
        } else if (effect instanceof ProtocolEffect.LookInParallel parallel) {
          after(oneWay, () -> lookedInParallel(this, parallel));
        } else if (effect instanceof ProtocolEffect.DropMailbox drop) {
          after(oneWay, () -> mailboxes.remove(drop.session()));
        } else if (effect instanceof ProtocolEffect.Settle settle) {
          if (settle.verdict() instanceof CallResult.Answered) {
            ended++;
            mine++;
          } else if (settle.verdict() instanceof CallResult.Unknown) {
            requests.merge("unknown", 1, Integer::sum);
          } else {
            throw new AssertionError("a call ended by " + settle.verdict());
          }
          after(THINKING, this::call);
        } else if (effect instanceof ProtocolEffect.WakeAt at) {
          long wanted = ++wake;
          after(
              Math.max(0, at.nanos() - now),
              () -> {
                if (wanted == wake) {
                  perform(course.wake(now));
                }
              });
        }
      }
    }
  }

  private static final UUID BIRTH = new UUID(7, 7);
  private static final long THINKING = 20_000;

  private final PriorityQueue<Due> queue = new PriorityQueue<>();
  private final Map<UUID, CallBatch> mailboxes = new TreeMap<>();
  private final Map<String, Integer> requests = new TreeMap<>();
  private final List<Session> sessions = new ArrayList<>();
  private final long writing;
  private ObjectRoot root = ObjectRoot.first("number", BIRTH, ByteString.of("0".getBytes(UTF_8)));
  private long version = 1;
  private long freeAt;
  private long now;
  private long number;
  private int ended;
  private int unheard;
  private long stalledUntil;
  private boolean hasEvents = true;
  private boolean hasContents = true;

  /**
   * @param oneWay the delay to the store, in nanoseconds
   * @param writing how long a write takes at the store, in nanoseconds
   */
  SessionSimulation(int processes, int callersOfEach, long oneWay, long writing) {
    this.writing = writing;
    for (int i = 0; i < processes; i++) {
      add(i * 300_000L, callersOfEach, oneWay);
    }
  }

  private void add(long begins, int callers, long oneWayOfSession) {
    Session session = new Session(sessions.size(), oneWayOfSession);
    sessions.add(session);
    for (int j = 0; j < callers; j++) {
      after(begins + j * 10_000L, session::call);
    }
  }

  /** From now on, nothing causes an event. */
  SessionSimulation withoutEvents() {
    hasEvents = false;
    return this;
  }

  /** From now on, events report which entry has changed, without its content. */
  SessionSimulation withEventsWithoutContent() {
    hasContents = false;
    return this;
  }

  /** The store answers nothing for some time, and then everything; it loses nothing. */
  SessionSimulation stalledFor(long nanos) {
    stalledUntil = now + nanos;
    run(nanos);
    return this;
  }

  /** Adds a process whose delay to the store is {@code oneWayOfSession}. */
  SessionSimulation join(int callers, long oneWayOfSession) {
    add(0, callers, oneWayOfSession);
    return this;
  }

  /** From now on, batches that the first {@code count} sessions post cause no events. */
  SessionSimulation unheard(int count) {
    unheard = count;
    return this;
  }

  /** Removes the batch in the shared mailbox, as a session does that closes. */
  void clearSharedMailbox() {
    mailboxes.remove(BIRTH);
  }

  boolean hasSharedMailbox() {
    return mailboxes.containsKey(BIRTH);
  }

  /** Closes all sessions, lets their calls end, and returns the number of mailboxes that remain. */
  int closeAll(long nanos) {
    for (Session session : sessions) {
      session.isClosed = true;
      session.perform(session.course.close(now));
    }
    run(nanos);
    return mailboxes.size();
  }

  /** Closes one session; returns whether all of its calls end within this time. */
  boolean close(int index, long nanos) {
    Session session = sessions.get(index);
    session.isClosed = true;
    session.perform(session.course.close(now));
    run(nanos);
    return session.course.isDone();
  }

  /** Runs for some time, and counts. */
  Outcome run(long nanos) {
    long end = now + nanos;
    int before = ended;
    requests.clear();
    while (!queue.isEmpty() && queue.peek().at <= end) {
      Due due = queue.poll();
      now = due.at;
      due.what.run();
    }
    List<Integer> each = sessions.stream().map(s -> s.mine).toList();
    sessions.forEach(s -> s.mine = 0);
    return new Outcome(ended - before, each, new TreeMap<>(requests));
  }

  private void after(long nanos, Runnable what) {
    queue.add(new Due(now + nanos, ++number, what));
  }

  private void arrived(Session session, StoreRequest request) {
    if (now < stalledUntil) {
      after(stalledUntil - now, () -> arrived(session, request));
      return;
    }
    requests.merge(request.getClass().getSimpleName(), 1, Integer::sum);
    if (request instanceof StoreRequest.Look look) {
      answer(session, looked(look));
    } else if (request instanceof StoreRequest.Swap swap) {
      freeAt = Math.max(freeAt, now) + writing;
      after(freeAt - now, () -> swapped(session, swap));
    } else if (request instanceof StoreRequest.Post post) {
      after(
          writing,
          () -> {
            mailboxes.put(post.mailbox(), post.batch());
            if (session.id.getLeastSignificantBits() > unheard) {
              UUID sender = post.batch().session();
              tell(
                  s -> hasContents ? s.course.mail(post.batch(), now) : s.course.mail(sender, now));
            }
            answer(session, new StoreResponse.Done());
          });
    } else {
      throw new AssertionError("a small object has no snapshots");
    }
  }

  private StoreResponse.Looked looked(StoreRequest.Look look) {
    requests.merge("mailboxes", look.mailboxes().size(), Integer::sum);
    requests.merge("shared", look.mailboxes().contains(BIRTH) ? 1 : 0, Integer::sum);
    List<CallBatch> posted =
        look.mailboxes().stream().filter(mailboxes::containsKey).map(mailboxes::get).toList();
    return new StoreResponse.Looked(root, version, posted);
  }

  private void lookedInParallel(Session session, ProtocolEffect.LookInParallel parallel) {
    requests.merge("LookInParallel", 1, Integer::sum);
    StoreResponse answer = looked(parallel.look());
    after(
        session.oneWay,
        () -> session.perform(session.course.lookedInParallel(parallel.number(), answer, now)));
  }

  private void swapped(Session session, StoreRequest.Swap swap) {
    boolean same = (long) swap.token() == version;
    if (same) {
      checkOnce(swap.next());
      root = swap.next();
      version++;
      ObjectRoot told = root;
      long token = version;
      tell(s -> hasContents ? s.course.told(told, token, now) : s.course.hint(now));
    } else {
      requests.merge("lost", 1, Integer::sum);
    }
    Object token = same && !hasEvents ? version : null;
    StoreResponse.Looked found =
        same || hasEvents ? null : new StoreResponse.Looked(root, version, List.of());
    answer(session, new StoreResponse.Swapped(same, token, found));
  }

  /** A step applies each call once whose outcome it records. */
  private void checkOnce(ObjectRoot next) {
    int recorded =
        next.members().stream()
            .filter(member -> member.sequence() == next.sequence())
            .mapToInt(member -> member.outcomes().size())
            .sum();
    if (next.position() - root.position() != recorded) {
      throw new AssertionError("a batch was applied twice in step " + next.sequence());
    }
  }

  private void answer(Session session, StoreResponse storeResponse) {
    after(session.oneWay, () -> session.perform(session.course.answered(storeResponse, now)));
  }

  /** Delivers an event to all sessions. */
  private void tell(Function<Session, List<ProtocolEffect>> event) {
    for (Session each : hasEvents ? sessions : List.<Session>of()) {
      after(each.oneWay + 100_000, () -> each.perform(event.apply(each)));
    }
  }
}
