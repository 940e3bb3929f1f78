package io.ensemble.zoofence.client;

import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.session.routing.ReadPreference;

/**
 * How a process takes part in a deployment by its {@link ZooFence} clients. Immutable. Clients of a
 * process with the same ensembles and equal options share threads and connections.
 *
 * @param readPreference where to read paths that several ensembles hold
 * @param execute whether this process is a candidate to lead queues. A process that stops often, or
 *     is far from the ensembles, should not be one. At least one process of the deployment, for
 *     example a proxy, has to be: else commands have no outcome
 * @param access the access of the deployment's processes to the administrative ensemble
 */
public record ClientOptions(ReadPreference readPreference, boolean execute, AdminAccess access) {
  /** Canonical reads, a candidate to lead queues, an open administrative ensemble. */
  public static final ClientOptions DEFAULT =
      new ClientOptions(ReadPreference.CANONICAL, true, AdminAccess.OPEN);

  public ClientOptions withReadPreference(ReadPreference other) {
    return new ClientOptions(other, execute, access);
  }

  public ClientOptions withExecute(boolean other) {
    return new ClientOptions(readPreference, other, access);
  }

  public ClientOptions withAccess(AdminAccess other) {
    return new ClientOptions(readPreference, execute, other);
  }
}
