package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import java.util.List;
import java.util.Optional;

/**
 * Decides how a key comes to the new store of a replica that lost its memory: as a copy of the cell
 * that the other replicas show, or settled by a classic ballot among them.
 *
 * <p>A cell is copied if every other replica shows it, unpromised. Each must have been read when no
 * request of the lost replica's time could count any more; the reads need not be simultaneous. The
 * lost replica then neither promised nor accepted a ballot above the copied one that an operation
 * still uses: the majority of that ballot includes another replica, which would show it. So the new
 * store is a replica that has been silent since it accepted this cell. Such a store may be behind,
 * and may store the cell late.
 *
 * <p>Open within the package so that a test can break the rule.
 */
public class RefillRule {

  private final Quorum quorum;

  public RefillRule(Quorum quorum) {
    this.quorum = quorum;
  }

  /**
   * The cell with which the new store may begin; empty if the key must be settled.
   *
   * @param others the cells that the other replicas showed, one for each replica that answered
   */
  public <V> Optional<Cell<V>> cellToCopy(List<Cell<V>> others) {
    boolean isComplete = others.size() == quorum.sites() - 1 && others.size() >= quorum.majority();
    if (!isComplete) {
      return Optional.empty();
    }
    Cell<V> cell = others.get(0);
    return cell.isUnpromised() && others.stream().allMatch(cell::equals)
        ? Optional.of(cell)
        : Optional.empty();
  }
}
