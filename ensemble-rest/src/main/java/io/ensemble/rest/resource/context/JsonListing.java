package io.ensemble.rest.resource.context;

import io.ensemble.rest.json.StrictJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * A JSON document with one array, part by part. Each element has a line of its own. A part is
 * bounded by the number of elements that the iteration visits, and by bytes; a single element may
 * exceed them. A part is never empty, so that a client sees a listing that finds nothing for a
 * while go on. Blocks; one thread at a time.
 *
 * @param <T> what the iteration visits
 */
public abstract class JsonListing<T> implements ListingParts {

  private static final int PART_BYTES = 64 << 10;

  private final String name;
  private final CloseableIterator<? extends T> iterator;
  private final int maxElements;
  private final int maxVisitedInPart;
  private int elements;
  private boolean begun;
  private boolean ended;

  /**
   * @param name the name of the array
   * @param iterator is closed with this
   * @param maxElements the maximum number of elements; a document that this ends has {@code more}
   * @param maxVisitedInPart the maximum number of elements that the iteration visits for one part
   */
  protected JsonListing(
      String name, CloseableIterator<? extends T> iterator, int maxElements, int maxVisitedInPart) {
    this.name = name;
    this.iterator = iterator;
    this.maxElements = maxElements;
    this.maxVisitedInPart = maxVisitedInPart;
  }

  /** The object for what the iteration visits; null to leave it out. */
  protected abstract @Nullable Map<String, Object> describe(T visited);

  @Override
  public boolean isEnded() {
    return ended;
  }

  @Override
  public byte[] next() {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    append(part, begun ? "\n" : "{\"%s\":[\n".formatted(name));
    begun = true;
    for (int visited = 0;
        visited < maxVisitedInPart && part.size() < PART_BYTES && !ended;
        visited++) {
      if (!iterator.hasNext()) {
        end(part, "]}\n");
      } else if (elements == maxElements) {
        end(part, "],\"more\":true}\n");
      } else {
        append(part, describe(iterator.next()));
      }
    }
    return part.toByteArray();
  }

  private void append(ByteArrayOutputStream part, @Nullable Map<String, Object> element) {
    if (element != null) {
      append(part, elements == 0 ? "" : ",\n");
      part.writeBytes(StrictJson.bytes(element));
      elements++;
    }
  }

  private void end(ByteArrayOutputStream part, String text) {
    append(part, text);
    ended = true;
  }

  private static void append(ByteArrayOutputStream part, String text) {
    part.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Releases the iteration at the sites. */
  @Override
  public void close() {
    iterator.close();
  }
}
