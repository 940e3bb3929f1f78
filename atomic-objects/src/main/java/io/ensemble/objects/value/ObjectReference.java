package io.ensemble.objects.value;

/**
 * A reference to another atomic object: what is stored in place of its proxy.
 *
 * @param name the object's name
 * @param type the object's type
 */
public record ObjectReference(String name, String type) {}
