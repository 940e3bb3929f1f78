/** JSON in, checked field by field, and out. Whatever is not asked for is refused by its name. */
@NullMarked
package io.ensemble.rest.json;

import org.jspecify.annotations.NullMarked;
