package io.ensemble.change;

/**
 * The part of a record that advances while the owner of a change is alive, for every kind of
 * change.
 *
 * @param step the phase of the change
 * @param beat the number of the owner's last heartbeat
 */
public record OwnerLiveness(String owner, long turn, String step, long beat) {

  /** The owner of a change after its last mover has resigned. */
  public static final String NOBODY = "nobody";

  /** Whether the change has no owner, so that any process may take it over. */
  public boolean isNobodys() {
    return owner.equals(NOBODY);
  }
}
