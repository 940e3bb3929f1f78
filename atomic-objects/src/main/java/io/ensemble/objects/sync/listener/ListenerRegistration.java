package io.ensemble.objects.sync.listener;

/** A registered listener. */
public interface ListenerRegistration extends AutoCloseable {

  /**
   * Ends the listener. A notification that is in progress continues; no other one begins. Closing
   * twice has no effect.
   */
  @Override
  void close();
}
