import oven
oven.bake()
oven.rest()
