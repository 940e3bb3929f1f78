package io.ensemble.jcache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;

/**
 * Java serialization, for JCache's published tests, whose keys and values are serializable classes
 * of theirs. Not for applications: bytes of sites can be harmful.
 */
final class JavaObjectMarshaller implements JCacheMarshaller {

  @Override
  public String mediaType() {
    return "application/x-java-serialized-object";
  }

  @Override
  public byte[] toBytes(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new IllegalArgumentException("not serializable: " + object.getClass().getName(), e);
    }
    return bytes.toByteArray();
  }

  @Override
  public Object fromBytes(byte[] bytes, ClassLoader loader) {
    try (ObjectInputStream in = new LoaderInput(new ByteArrayInputStream(bytes), loader)) {
      return in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalArgumentException("not a serialized object", e);
    }
  }

  private static final class LoaderInput extends ObjectInputStream {

    private final ClassLoader loader;

    LoaderInput(InputStream in, ClassLoader loader) throws IOException {
      super(in);
      this.loader = loader;
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass type)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(type.getName(), false, loader);
      } catch (ClassNotFoundException e) {
        return super.resolveClass(type);
      }
    }
  }
}
