package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.machine.Machine;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Sessions of one counter, each with callers that call again as soon as they are answered, and a
 * store that is some way off, all in virtual time: how fast the construction is when nothing else
 * takes time. Requests that write the root wait for each other at the store.
 */
final class Market {

  /** How many calls ended, of each session and in all, and what of each kind was asked. */
  record Outcome(int calls, List<Integer> each, Map<String, Integer> asked) {

    /** How often a kind of request was made; "lost" swaps and "mailboxes" read are counted, too. */
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

  private static final class Adding implements Machine {
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
    final Course course;
    long wake;
    long calls;
    int mine;

    Session(int index) {
      id = new UUID(1, index + 1);
      int[] names = {0};
      course =
          new Course(
              new Adding(),
              id,
              BIRTH,
              Layout.DEFAULT,
              EnumSet.allOf(Rule.class),
              () -> new UUID(index + 1, ++names[0]),
              index + 1);
    }

    void call() {
      perform(course.call(++calls, Bytes.of("1".getBytes(UTF_8)), now));
    }

    void perform(List<Effect> effects) {
      for (Effect effect : effects) {
        if (effect instanceof Effect.Ask ask) {
          after(oneWay, () -> arrived(this, ask.request()));
        } else if (effect instanceof Effect.Settle settle) {
          if (!(settle.verdict() instanceof Verdict.Answered)) {
            throw new AssertionError("a call ended by " + settle.verdict());
          }
          ended++;
          mine++;
          after(THINKING, this::call);
        } else if (effect instanceof Effect.WakeAt at) {
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
  private final Map<UUID, Batch> mailboxes = new TreeMap<>();
  private final Map<String, Integer> requests = new TreeMap<>();
  private final List<Session> sessions = new ArrayList<>();
  private final long oneWay;
  private final long writing;
  private Root root = Root.first("number", BIRTH, Bytes.of("0".getBytes(UTF_8)));
  private long version = 1;
  private long freeAt;
  private long now;
  private long number;
  private int ended;
  private int unheard;

  /**
   * @param oneWay to the store, in nanoseconds
   * @param writing how long a write of the root takes there
   */
  Market(int processes, int callersOfEach, long oneWay, long writing) {
    this.oneWay = oneWay;
    this.writing = writing;
    for (int i = 0; i < processes; i++) {
      Session session = new Session(i);
      sessions.add(session);
      for (int j = 0; j < callersOfEach; j++) {
        after(i * 300_000L + j * 10_000L, session::call);
      }
    }
  }

  /** Nobody hears from now on of what so many of the sessions post. */
  Market unheard(int count) {
    unheard = count;
    return this;
  }

  /** What happens in a time. */
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

  private void arrived(Session session, Request request) {
    requests.merge(request.getClass().getSimpleName(), 1, Integer::sum);
    if (request instanceof Request.Look look) {
      requests.merge("mailboxes", look.mailboxes().size(), Integer::sum);
      List<Batch> posted =
          look.mailboxes().stream().filter(mailboxes::containsKey).map(mailboxes::get).toList();
      answer(session, new Answer.Looked(root, version, posted));
    } else if (request instanceof Request.Swap swap) {
      freeAt = Math.max(freeAt, now) + writing;
      after(freeAt - now, () -> swapped(session, swap));
    } else if (request instanceof Request.Post post) {
      after(
          writing,
          () -> {
            mailboxes.put(post.batch().session(), post.batch());
            if (session.id.getLeastSignificantBits() > unheard) {
              tell(s -> s.course.mail(post.batch(), now));
            }
            answer(session, new Answer.Done());
          });
    } else {
      throw new AssertionError("a small object has no snapshots");
    }
  }

  private void swapped(Session session, Request.Swap swap) {
    boolean same = (long) swap.token() == version;
    if (same) {
      root = swap.next();
      version++;
      Root told = root;
      long token = version;
      tell(s -> s.course.told(told, token, now));
    } else {
      requests.merge("lost", 1, Integer::sum);
    }
    answer(session, new Answer.Swapped(same, null));
  }

  private void answer(Session session, Answer answer) {
    after(oneWay, () -> session.perform(session.course.answered(answer, now)));
  }

  /** An event, at everybody. */
  private void tell(Function<Session, List<Effect>> event) {
    for (Session each : sessions) {
      after(oneWay + 100_000, () -> each.perform(event.apply(each)));
    }
  }
}
