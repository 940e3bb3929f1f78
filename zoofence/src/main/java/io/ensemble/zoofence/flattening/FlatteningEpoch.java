package io.ensemble.zoofence.flattening;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A flattening with its number, as a deployment stores it. The number grows with each change. A
 * request routed by an older epoch is rejected without an effect, and routed again.
 *
 * @param move the last move of a subtree, or the move in progress; null if there was none
 */
public record FlatteningEpoch(int number, Flattening flattening, @Nullable SubtreeMove move) {
  private static final String NUMBER = "#number ";
  private static final String MOVE = "#move ";

  /** The first epoch of a deployment. */
  public static FlatteningEpoch first(Flattening flattening) {
    return new FlatteningEpoch(0, flattening, null);
  }

  /** Whether a subtree is being copied, so that its holders are about to change. */
  public boolean isMoving() {
    return move != null && move.phase() == SubtreeMove.Phase.COPYING;
  }

  /** The same epoch, with a move that begins. */
  public FlatteningEpoch beginning(SubtreeMove begun) {
    return new FlatteningEpoch(number, flattening, begun.at(SubtreeMove.Phase.COPYING));
  }

  /** The next epoch, for a move that has copied everything. */
  public FlatteningEpoch moved(List<String> names) {
    SubtreeMove under = underWay();
    return new FlatteningEpoch(
        number + 1, under.applied(flattening, names), under.at(SubtreeMove.Phase.CLEANING));
  }

  /** The same epoch, for a move that has ended. */
  public FlatteningEpoch ended() {
    return new FlatteningEpoch(number, flattening, underWay().at(SubtreeMove.Phase.DONE));
  }

  /** The flattening that would result from a move. */
  public Flattening behind(SubtreeMove wanted, List<String> names) {
    return wanted.applied(flattening, names);
  }

  private SubtreeMove underWay() {
    if (move == null) {
      throw new IllegalStateException("nothing is being moved");
    }
    return move;
  }

  /** The epoch without its move, which was abandoned. */
  public FlatteningEpoch withoutMove() {
    return new FlatteningEpoch(number, flattening, null);
  }

  /**
   * The stored form: lines with the number and the move, written as remarks, before the
   * flattening's text.
   */
  public byte[] bytes() {
    var text = new StringBuilder(NUMBER).append(number).append('\n');
    if (move != null) {
      text.append(MOVE)
          .append(move.phase())
          .append(' ')
          .append(move.command())
          .append(' ')
          .append(escaped(move.path()))
          .append(' ')
          .append(move.rule())
          .append('\n');
    }
    return text.append(FlatteningText.write(flattening))
        .toString()
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the result of {@link #bytes}.
   *
   * @param names the instances' names, in order
   */
  public static FlatteningEpoch read(byte[] bytes, List<String> names) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    int number = 0;
    SubtreeMove move = null;
    for (String line : text.lines().toList()) {
      if (line.startsWith(NUMBER)) {
        number = Integer.parseInt(line.substring(NUMBER.length()));
      } else if (line.startsWith(MOVE)) {
        String[] words = line.substring(MOVE.length()).split(" ", 4);
        move =
            new SubtreeMove(
                unescaped(words[2]), words[3], words[1], SubtreeMove.Phase.valueOf(words[0]));
      }
    }
    return new FlatteningEpoch(number, FlatteningText.read(text, names), move);
  }

  private static String escaped(String path) {
    return path.replace("%", "%25").replace(" ", "%20").replace("\n", "%0A").replace("\r", "%0D");
  }

  private static String unescaped(String path) {
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%20", " ").replace("%25", "%");
  }
}
