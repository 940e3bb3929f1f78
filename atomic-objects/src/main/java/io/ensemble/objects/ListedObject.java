package io.ensemble.objects;

/**
 * An object that a listing has found.
 *
 * @param name the name of the object
 * @param type the name of its type; that of a synchronizer begins with {@code ensemble}
 */
public record ListedObject(String name, String type) {}
