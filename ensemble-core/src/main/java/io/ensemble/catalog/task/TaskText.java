package io.ensemble.catalog.task;

import static io.ensemble.catalog.record.RecordText.line;

import io.ensemble.catalog.record.RecordText;
import io.ensemble.catalog.record.RecordText.Settings;
import io.ensemble.catalog.record.RevisedRecords;
import java.util.Map;
import java.util.TreeMap;

/** A task as {@link RecordText}. */
final class TaskText implements RevisedRecords.RecordFormat<TaskEntry> {

  private static final String FORMAT = "ensemble-task=1\n";

  @Override
  public byte[] write(TaskEntry task) {
    StringBuilder text = new StringBuilder(FORMAT);
    line(text, "name", task.name());
    line(text, "owner", task.owner());
    line(text, "fence", task.fence());
    task.notes().forEach((note, value) -> line(text, "note", note + "=" + value));
    line(text, "revision", task.revision());
    return RecordText.sealed(text);
  }

  @Override
  public TaskEntry read(byte[] bytes) {
    String body = RecordText.opened(bytes);
    if (!body.startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "the record has another format; expected="
              + FORMAT.trim()
              + " found="
              + body.lines().findFirst().orElse(""));
    }
    Settings settings = RecordText.settings(body.substring(FORMAT.length()));
    Map<String, String> notes = new TreeMap<>();
    for (String note : settings.all("note")) {
      int equals = note.indexOf('=');
      notes.put(note.substring(0, Math.max(0, equals)), note.substring(equals + 1));
    }
    return new TaskEntry(
        settings.one("name"),
        settings.one("owner"),
        settings.number("fence"),
        notes,
        settings.number("revision"));
  }

  @Override
  public String name(TaskEntry task) {
    return task.name();
  }

  @Override
  public long revision(TaskEntry task) {
    return task.revision();
  }
}
