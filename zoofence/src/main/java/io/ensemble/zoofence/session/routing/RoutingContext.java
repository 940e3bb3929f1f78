package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.AdminAccess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that all sessions of a process share: the addresses of the instances, the flattening,
 * and the client session of each instance's own session. Thread-safe.
 */
public final class RoutingContext {
  /**
   * A command that was found in a queue.
   *
   * @param path the path of the command; paths repeat when the znode of the queue is replaced
   * @param queueZxid the transaction that created the znode of the queue
   */
  public record QueuedCommand(String path, long queueZxid) {}

  private static final int REMEMBERED = 10_000;

  private final List<InstanceServers> instances;
  private final InstanceServers admin;
  private final AdminAccess access;
  private final Duration requestTimeout;
  private final ReadPreference readPreference;
  private final Map<Long, Long> owners = new ConcurrentHashMap<>();
  private final Map<QueuedCommand, Long> commandSessions = new ConcurrentHashMap<>();
  private final SessionOwners sessionOwners = new SessionOwners();
  private volatile FlatteningEpoch flatteningEpoch;

  /**
   * @param instances the instances, in the order in which the flattening numbers them
   * @param flatteningEpoch the flattening epoch to begin with; if the instances have a later one,
   *     sessions switch to it
   * @param admin the administrative ensemble; may be one of the instances
   * @param requestTimeout how long a request waits for an instance that cannot be reached
   * @param readPreference where to read paths that several instances hold
   */
  public RoutingContext(
      List<InstanceServers> instances,
      InstanceServers admin,
      FlatteningEpoch flatteningEpoch,
      Duration requestTimeout,
      ReadPreference readPreference) {
    this(instances, admin, flatteningEpoch, requestTimeout, readPreference, AdminAccess.OPEN);
  }

  /**
   * As above, for a deployment whose administrative ensemble may be closed to others.
   *
   * @param access the access of the deployment's processes to the administrative ensemble
   */
  public RoutingContext(
      List<InstanceServers> instances,
      InstanceServers admin,
      FlatteningEpoch flatteningEpoch,
      Duration requestTimeout,
      ReadPreference readPreference,
      AdminAccess access) {
    int count = flatteningEpoch.flattening().all().size();
    if (count != instances.size()) {
      throw new IllegalArgumentException(
          "the flattening is for " + count + " instances, but there are " + instances);
    }
    this.instances = List.copyOf(instances);
    this.admin = admin;
    this.access = access;
    this.flatteningEpoch = flatteningEpoch;
    this.requestTimeout = requestTimeout;
    this.readPreference = readPreference;
  }

  public List<InstanceServers> instances() {
    return instances;
  }

  public InstanceServers admin() {
    return admin;
  }

  /** The access to the znodes of the administrative ensemble that hold credentials. */
  public AdminAccess access() {
    return access;
  }

  public SessionOwners sessionOwners() {
    return sessionOwners;
  }

  public long requestTimeoutMillis() {
    return requestTimeout.toMillis();
  }

  public ReadPreference readPreference() {
    return readPreference;
  }

  List<String> names() {
    return instances.stream().map(InstanceServers::name).toList();
  }

  /** The latest flattening epoch that this process has read. */
  public FlatteningEpoch epoch() {
    return flatteningEpoch;
  }

  public Flattening flattening() {
    return flatteningEpoch.flattening();
  }

  /** Records an epoch that a session has read; the sessions switch to it by themselves. */
  synchronized void recordEpoch(FlatteningEpoch epoch) {
    if (epoch.number() > flatteningEpoch.number()) {
      flatteningEpoch = epoch;
    }
  }

  /**
   * The client session to which an instance's own session belongs; null if it has not been read
   * from the instance.
   */
  @org.jspecify.annotations.Nullable
  public Long findOwner(int instance, long instanceSession) {
    return owners.get(key(instance, instanceSession));
  }

  public void recordOwner(int instance, long instanceSession, long session) {
    if (owners.size() >= REMEMBERED) {
      owners.clear();
    }
    owners.put(key(instance, instanceSession), session);
  }

  /** The session of a command; null if it is not cached. */
  public @Nullable Long findCommandSession(QueuedCommand command) {
    return commandSessions.get(command);
  }

  /** Caches the session of a command, which never changes. */
  public void recordCommandSession(QueuedCommand command, long session) {
    if (commandSessions.size() >= REMEMBERED) {
      commandSessions.clear();
    }
    commandSessions.put(command, session);
  }

  /**
   * A key that mixes the session's bits with the instance, since sessions of different instances
   * may have the same number.
   */
  private static long key(int instance, long instanceSession) {
    return instanceSession ^ (instance + 1) * 0x9E3779B97F4A7C15L;
  }
}
