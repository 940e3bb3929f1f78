package io.ensemble.objects.sync.permit;

import io.ensemble.objects.CallPosition;
import io.ensemble.objects.ReadOnly;
import io.ensemble.objects.machine.NextCaller;
import io.ensemble.objects.sync.state.DeclaredSize;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock, a semaphore or an election: a number of permits, the holders and how many
 * permits each has, and the waiting requests in the order in which they asked. A lock has one
 * permit. Of a read-write lock a reader takes one permit, and a writer all, so that readers behind
 * a writer wait.
 *
 * <p>Requests have ids, so that requests, renewals and releases can be repeated. A grant ends when
 * it is released, or when a process reports that it has seen the holder unchanged for too long.
 *
 * <p>Waiting requests show in each round of the queue that their processes are alive. A process
 * that has seen a round for longer than a lease ends the round, which removes all requests that
 * waited when it began and have not shown themselves. So the requests of dead processes leave the
 * queue together, in at most two rounds, wherever they are in it.
 */
public class PermitState implements DeclaredSize, NextCaller {

  /** The maximum number of waiting requests. */
  public static final int MOST_WAITING = 1000;

  private record Hold(int permits, long token, long renewals, long leaseMillis, String note) {}

  /**
   * A waiting request.
   *
   * @param round the last round of the queue in which it has shown itself
   */
  private record Ticket(int permits, long leaseMillis, String note, long round) {}

  private int permits;
  private Map<UUID, Hold> holds = new LinkedHashMap<>();
  private Map<UUID, Ticket> tickets = new LinkedHashMap<>();
  private long round;

  public PermitState() {
    this(1);
  }

  public PermitState(int permits) {
    this.permits = permits;
  }

  @Override
  @ReadOnly
  public int declared() {
    return permits;
  }

  /** The holder of a lock will release it. Holders of a semaphore may be many. */
  @Override
  @ReadOnly
  public @Nullable ExpectedCall expectedCall() {
    if (permits > 1) {
      return null;
    }
    UUID holder = holds.isEmpty() ? NONE : holds.keySet().iterator().next();
    return new ExpectedCall(holder, !tickets.isEmpty());
  }

  @ReadOnly
  public int available() {
    return (int) (permits - held());
  }

  @ReadOnly
  public int waiting() {
    return tickets.size();
  }

  /** The holders, oldest first. */
  @ReadOnly
  public List<PermitHolder> holders() {
    List<PermitHolder> all = new ArrayList<>();
    holds.forEach(
        (id, h) -> all.add(new PermitHolder(id, h.token, h.renewals, h.leaseMillis, h.note)));
    return all;
  }

  /** The status of a request; includes the holders if it waits for them. */
  @ReadOnly
  public PermitStatus look(UUID request) {
    Hold hold = holds.get(request);
    if (hold != null) {
      return new PermitStatus(PermitStatus.Place.HOLDS, hold.token, List.of(), round(request));
    }
    PermitStatus.Place place =
        tickets.containsKey(request) ? PermitStatus.Place.WAITS : PermitStatus.Place.NONE;
    return new PermitStatus(place, 0, holders(), round(request));
  }

  private QueueRound round(UUID request) {
    Ticket own = tickets.get(request);
    long longest = tickets.values().stream().mapToLong(Ticket::leaseMillis).max().orElse(0);
    return new QueueRound(round, own != null && own.round == round, tickets.size(), longest);
  }

  /**
   * Requests permits; a repetition with the same id returns the status of the request.
   *
   * @param waits whether to join the queue if the permits are not available now; a request that
   *     does not hold or wait afterwards has found the queue full
   */
  public PermitStatus ask(UUID request, int wanted, long leaseMillis, boolean waits, String note) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException(
          "number of permits must be in [1, " + permits + "]; got " + wanted);
    }
    if (!holds.containsKey(request) && !tickets.containsKey(request)) {
      tickets.put(request, new Ticket(wanted, leaseMillis, note, round));
      grant();
      if (!waits || tickets.size() > MOST_WAITING) {
        tickets.remove(request);
      }
    }
    return look(request);
  }

  /**
   * As {@link #ask}; a request that holds permits renews them, and a waiting one stays in the
   * queue, both with this lease.
   */
  public PermitStatus claim(UUID request, int wanted, long leaseMillis, boolean waits) {
    Hold held =
        holds.computeIfPresent(
            request, (id, h) -> new Hold(h.permits, h.token, h.renewals + 1, leaseMillis, h.note));
    tickets.computeIfPresent(request, (id, t) -> new Ticket(t.permits, leaseMillis, t.note, round));
    return held != null ? look(request) : ask(request, wanted, leaseMillis, waits, "");
  }

  /** Shows that the process of a waiting request is alive; returns the status. */
  public PermitStatus stay(UUID request) {
    tickets.computeIfPresent(
        request, (id, t) -> new Ticket(t.permits, t.leaseMillis, t.note, round));
    return look(request);
  }

  /**
   * Ends a round of the queue, which a process has seen for too long: removes the requests that
   * waited when it began and have not shown themselves. Has no effect if the round has ended.
   *
   * @param request of the process that ends the round; if it waits, it shows itself
   */
  public void endRound(UUID request, long number) {
    if (number == round) {
      stay(request);
      tickets.values().removeIf(t -> t.round < number);
      round++;
      stay(request);
      grant();
    }
  }

  /** As {@link #renew}, and returns the status. */
  public PermitStatus alive(UUID request) {
    renew(request);
    return look(request);
  }

  /** Leaves the queue, and keeps a grant; returns the status. */
  public PermitStatus leave(UUID request) {
    tickets.remove(request);
    grant();
    return look(request);
  }

  /** Renews the lease of a holder. False if it no longer holds permits. */
  public boolean renew(UUID request) {
    return null
        != holds.computeIfPresent(
            request,
            (id, h) -> new Hold(h.permits, h.token, h.renewals + 1, h.leaseMillis, h.note));
  }

  /** Releases a grant, or leaves the queue. Returns whether there was a grant. */
  public boolean release(UUID request) {
    tickets.remove(request);
    boolean held = holds.remove(request) != null;
    grant();
    return held;
  }

  /** Ends the grant of a holder that has not renewed since a process saw it with these values. */
  public boolean expire(UUID request, long token, long renewals) {
    Hold hold = holds.get(request);
    return hold != null && hold.token == token && hold.renewals == renewals && release(request);
  }

  /**
   * Ends the grants with this token, whose holders may not know, and grants the permits to the next
   * requests.
   *
   * @return a fencing token that is larger than this one and not larger than that of any later
   *     grant; zero if there is no such grant
   */
  public long revoke(long token) {
    if (!holds.values().removeIf(h -> h.token == token)) {
      return 0;
    }
    grant();
    return CallPosition.current();
  }

  /**
   * Grants permits to the first request in the queue, if they are available; no later request
   * overtakes it.
   */
  private void grant() {
    for (Map.Entry<UUID, Ticket> first = first(); first != null; first = first()) {
      Ticket ticket = first.getValue();
      if (held() + ticket.permits > permits) {
        return;
      }
      tickets.remove(first.getKey());
      holds.put(
          first.getKey(),
          new Hold(ticket.permits, CallPosition.current(), 0, ticket.leaseMillis, ticket.note));
    }
  }

  private Map.@Nullable Entry<UUID, Ticket> first() {
    return tickets.isEmpty() ? null : tickets.entrySet().iterator().next();
  }

  private long held() {
    return holds.values().stream().mapToLong(Hold::permits).sum();
  }
}
