package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.link.InstanceServers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all sessions of a process share: where the instances are, who holds what, and whose an
 * instance's own sessions are. Thread-safe.
 */
public final class RoutingContext {
  private static final int REMEMBERED = 10_000;

  private final List<InstanceServers> instances;
  private final InstanceServers admin;
  private final Duration patience;
  private final ReadPreference readPreference;
  private final Map<Long, Long> owners = new ConcurrentHashMap<>();
  private final SessionOwners sessionOwners = new SessionOwners();
  private volatile FlatteningEpoch flatteningEpoch;

  /**
   * @param instances in the order that the flattening numbers them
   * @param flatteningEpoch of the flattening; an older one than the instances have is made up for
   * @param admin the administrative ensemble; may be one of the instances
   * @param patience how long a request waits for an instance that cannot be reached
   * @param readPreference where paths are read that several instances hold
   */
  public RoutingContext(
      List<InstanceServers> instances,
      InstanceServers admin,
      FlatteningEpoch flatteningEpoch,
      Duration patience,
      ReadPreference readPreference) {
    int count = flatteningEpoch.flattening().all().size();
    if (count != instances.size()) {
      throw new IllegalArgumentException(
          "the flattening is of " + count + " instances, not of " + instances);
    }
    this.instances = List.copyOf(instances);
    this.admin = admin;
    this.flatteningEpoch = flatteningEpoch;
    this.patience = patience;
    this.readPreference = readPreference;
  }

  public List<InstanceServers> instances() {
    return instances;
  }

  public InstanceServers admin() {
    return admin;
  }

  public SessionOwners seats() {
    return sessionOwners;
  }

  public long patienceMillis() {
    return patience.toMillis();
  }

  public ReadPreference reads() {
    return readPreference;
  }

  List<String> names() {
    return instances.stream().map(InstanceServers::name).toList();
  }

  /** The latest edition of the flattening that this process knows. */
  public FlatteningEpoch edition() {
    return flatteningEpoch;
  }

  public Flattening flattening() {
    return flatteningEpoch.flattening();
  }

  /** Some session has read of another edition; sessions go over to it by themselves. */
  synchronized void learn(FlatteningEpoch next) {
    if (next.number() > flatteningEpoch.number()) {
      flatteningEpoch = next;
    }
  }

  /** Whose session an instance's own session is; null while nobody has asked the instance. */
  @org.jspecify.annotations.Nullable
  public Long owner(int instance, long own) {
    return owners.get(key(instance, own));
  }

  public void own(int instance, long own, long session) {
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
