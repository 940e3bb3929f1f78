package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.Edition;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.link.Servers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all sessions of a process share: where the instances are, who holds what, and whose an
 * instance's own sessions are. Thread-safe.
 */
public final class Router {
  private static final int REMEMBERED = 10_000;

  private final List<Servers> instances;
  private final Servers admin;
  private final Duration patience;
  private final Reads reads;
  private final Map<Long, Long> owners = new ConcurrentHashMap<>();
  private final Seats seats = new Seats();
  private volatile Edition edition;

  /**
   * @param instances in the order that the flattening numbers them
   * @param edition of the flattening; an older one than the instances have is made up for
   * @param admin the administrative ensemble; may be one of the instances
   * @param patience how long a request waits for an instance that cannot be reached
   * @param reads where paths are read that several instances hold
   */
  public Router(
      List<Servers> instances, Servers admin, Edition edition, Duration patience, Reads reads) {
    int count = edition.flattening().all().size();
    if (count != instances.size()) {
      throw new IllegalArgumentException(
          "the flattening is of " + count + " instances, not of " + instances);
    }
    this.instances = List.copyOf(instances);
    this.admin = admin;
    this.edition = edition;
    this.patience = patience;
    this.reads = reads;
  }

  List<Servers> instances() {
    return instances;
  }

  Servers admin() {
    return admin;
  }

  Seats seats() {
    return seats;
  }

  long patienceMillis() {
    return patience.toMillis();
  }

  Reads reads() {
    return reads;
  }

  List<String> names() {
    return instances.stream().map(Servers::name).toList();
  }

  /** The latest edition of the flattening that this process knows. */
  public Edition edition() {
    return edition;
  }

  public Flattening flattening() {
    return edition.flattening();
  }

  /** Some session has read of another edition; sessions go over to it by themselves. */
  synchronized void learn(Edition next) {
    if (next.number() > edition.number()) {
      edition = next;
    }
  }

  /** Whose session an instance's own session is; null while nobody has asked the instance. */
  @org.jspecify.annotations.Nullable
  Long owner(int instance, long own) {
    return owners.get(key(instance, own));
  }

  void own(int instance, long own, long session) {
    if (owners.size() >= REMEMBERED) {
      owners.clear();
    }
    owners.put(key(instance, own), session);
  }

  /**
   * Sessions of different instances may have one number: their bits are mixed with the instance.
   */
  private static long key(int instance, long own) {
    return own ^ (instance + 1) * 0x9E3779B97F4A7C15L;
  }
}
