def bake_loaf; end
