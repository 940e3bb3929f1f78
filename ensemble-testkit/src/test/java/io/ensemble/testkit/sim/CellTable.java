package io.ensemble.testkit.sim;

import io.ensemble.register.Cell;
import io.ensemble.site.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A codec without a format: it encodes a cell as its index in a table. */
final class CellTable {

  private final List<Cell<Long>> cells = new ArrayList<>();

  Bytes encode(Cell<Long> cell) {
    cells.add(cell);
    return Bytes.of(ByteBuffer.allocate(4).putInt(cells.size() - 1).array());
  }

  Cell<Long> decode(Bytes bytes) {
    return cells.get(ByteBuffer.wrap(bytes.array()).getInt());
  }
}
