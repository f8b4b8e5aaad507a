knead(dough);
