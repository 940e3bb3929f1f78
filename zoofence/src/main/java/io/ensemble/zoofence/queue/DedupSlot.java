package io.ensemble.zoofence.queue;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The record that an instance keeps of a command that took effect there. The command's transaction
 * writes the record, so the record exists if and only if the effect does. A queue has a fixed
 * number of slots at each instance; a command's number selects its slot.
 *
 * @param command the command's number; -1 in a slot that was never used
 * @param created the paths that the command created, with their final names
 * @param freed the ephemeral znodes among those that the command removed
 */
public record DedupSlot(long command, List<String> created, List<String> freed) {
  public static final DedupSlot UNUSED = new DedupSlot(-1, List.of(), List.of());

  public DedupSlot {
    created = List.copyOf(created);
    freed = List.copyOf(freed);
  }

  public byte[] bytes() {
    var text = new StringBuilder(Long.toString(command));
    created.forEach(path -> text.append("\n+").append(path));
    freed.forEach(path -> text.append("\n-").append(path));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  public static DedupSlot read(byte[] bytes) {
    List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
    return lines.isEmpty()
        ? UNUSED
        : new DedupSlot(Long.parseLong(lines.get(0)), readPaths('+', lines), readPaths('-', lines));
  }

  private static List<String> readPaths(char sign, List<String> lines) {
    return lines.stream()
        .skip(1)
        .filter(line -> !line.isEmpty() && line.charAt(0) == sign)
        .map(line -> line.substring(1))
        .toList();
  }
}
